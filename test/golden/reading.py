"""Reads SQL just enough to judge answers: what stands outside of quotes and parentheses, and the keys of an ORDER BY."""
import re


def bare(sql):
    """The statement without comments and what is quoted or in parentheses; None if something stays open."""
    out, i, depth = [], 0, 0
    while i < len(sql):
        c, two = sql[i], sql[i : i + 2]
        if two == "--":
            i = sql.find("\n", i)
            i = len(sql) if i < 0 else i
        elif two == "/*":
            level = 0
            while True:  # bracketed comments nest
                m = re.compile(r"/\*|\*/").search(sql, i)
                if not m:
                    return None
                level += 1 if m[0] == "/*" else -1
                i = m.end()
                if not level:
                    break
        elif c in "'\"`":
            raw = c != "`" and re.search(r"(?i)\br$", sql[:i])
            m = re.compile(c + (rf"[^{c}]*" if raw or c == "`" else rf"(?:[^\\{c}]|\\.)*") + c, re.S).match(sql, i)
            if not m:
                return None
            i = m.end()
            out.append("" if depth else m[0] if c == "`" else "''")
        else:
            depth += (c == "(") - (c == ")")
            i += 1
            if not depth or (c == "(" and depth == 1):
                out.append(c)
    return "".join(out)


def order_keys(text, columns):
    """Positions of the outermost ORDER BY's keys among the columns; [] = no ORDER BY, None = not all are columns."""
    m = list(re.finditer(r"(?i)\border\s+by\b", text))
    if not m:
        return []
    keys = []
    for item in re.split(r"(?i)\b(?:limit|offset)\b", text[m[-1].end() :])[0].split(","):
        item = re.sub(r"(?i)\s+(asc|desc)\b|\s+nulls\s+(first|last)\b", "", item).strip().lower()
        name = item.split(".")[-1].strip("`")
        if item.isdigit() and 0 < int(item) <= len(columns):
            keys.append(int(item) - 1)
        elif columns.count(name) == 1:
            keys.append(columns.index(name))
        else:
            return None
    return keys
