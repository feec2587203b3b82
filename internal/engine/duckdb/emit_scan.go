package duckdb

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// longList is the number of elements from which the values of partition columns travel as parameters instead of as SQL
// text: parsing and binding a literal of n elements costs DuckDB more than taking a value of them.
const longList = 200

// scan emits the rows of a relation.
func (s *query) scan(n *plan.Scan) (*block, error) {
	in, ok := s.q.Inputs[n]
	if !ok {
		return nil, internal("scan %s has no input", n.Alias)
	}
	if in.Source != nil {
		return s.sourceBlock(&sourceEntry{query: s, source: in.Source, cols: n.Out}), nil
	}
	s.files += len(in.Parquet)
	if len(in.Parquet) == 0 {
		return s.nothing(n.Out), nil
	}
	return s.parquet(n, in.Parquet)
}

// sourceBlock emits a Go source and makes it live for the query.
func (s *query) sourceBlock(e *sourceEntry) *block {
	id := s.db.sources.add(e)
	s.ids = append(s.ids, id)
	from := sourceFunction + "(" + strconv.FormatInt(id, 10) + ")"
	if s.looped != nil {
		// A source gives its rows once, and a step is run again and again.
		name := "source" + strconv.FormatInt(id, 10)
		*s.looped += name + " AS MATERIALIZED (FROM " + from + "),"
		from = name
	}
	return &block{from: from}
}

// nothing emits a relation of no rows with the columns' types.
func (s *query) nothing(cols []plan.Column) *block {
	var list strings.Builder
	for _, c := range cols {
		item(&list, castTo("NULL", c.Type), c)
	}
	if list.Len() == 0 {
		list.WriteString("1")
	}
	return &block{list: list.String(), where: []string{"false"}}
}

// parquet emits the files of a scan: those that keep the columns in the same types in one read_parquet.
func (s *query) parquet(n *plan.Scan, files []engine.ParquetFile) (*block, error) {
	groups := s.byStored(n, files)
	if len(groups) == 1 {
		return s.readParquet(n, groups[0])
	}
	texts := make([]string, len(groups))
	for i, g := range groups {
		b, err := s.readParquet(n, g)
		if err != nil {
			return nil, err
		}
		if b.list == "" {
			b.list = names(n.Out)
		}
		texts[i] = "(" + b.text() + ")"
	}
	return &block{set: balanced(texts, " UNION ALL ")}, nil
}

// byStored groups files by the columns that need converting or renaming and by whether rows are left out, in order of
// appearance: files of the plainest kind lose no speed to the others.
func (s *query) byStored(n *plan.Scan, files []engine.ParquetFile) [][]engine.ParquetFile {
	name, _ := zoneName(s.q.Zone)
	var groups [][]engine.ParquetFile
	index := map[string]int{}
	for _, f := range files {
		var key strings.Builder
		stored := map[int]types.Type{}
		for i, c := range n.Out {
			if as, ok := f.Names[i]; ok {
				fmt.Fprintf(&key, "%d=%q;", i, as)
			}
			from, ok := f.Stored[i]
			if !ok || types.Equal(from, c.Type) || name == "UTC" && types.Equal(zoned(from), zoned(c.Type)) {
				continue // in UTC a time with and without a zone are the same
			}
			stored[i] = from
			fmt.Fprintf(&key, "%d %s;", i, from.String())
		}
		if f.Mask != nil {
			key.WriteString("masked")
		}
		f.Stored = stored
		at, ok := index[key.String()]
		if !ok {
			at = len(groups)
			index[key.String()] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], f)
	}
	return groups
}

// zoned is a type with TIMESTAMP for TIMESTAMP_NTZ.
func zoned(t types.Type) types.Type {
	if t.Kind == types.TimestampNTZ {
		return types.Of(types.Timestamp)
	}
	if t.Key != nil {
		k := zoned(*t.Key)
		t.Key = &k
	}
	if t.Elem != nil {
		e := zoned(*t.Elem)
		t.Elem = &e
	}
	fields := slices.Clone(t.Fields)
	for i := range fields {
		fields[i].Type = zoned(fields[i].Type)
	}
	t.Fields = fields
	return t
}

// converted is a value that a file keeps as one type as the type of the table. depth names lambda variables.
func converted(text string, from, to types.Type, depth int) string {
	if types.Equal(from, to) {
		return text
	}
	e := "e" + strconv.Itoa(depth)
	switch {
	case from.Kind == types.TimestampNTZ && to.Kind == types.Timestamp:
		return "make_timestamptz(epoch_us(" + text + "))"
	case from.Kind == types.Array && to.Kind == types.Array:
		return "list_transform(" + text + ",lambda " + e + ":" + converted(e, *from.Elem, *to.Elem, depth+1) + ")"
	case from.Kind == types.Map && to.Kind == types.Map:
		pair := "{'key':" + converted(e+".key", *from.Key, *to.Key, depth+1) + ",'value':" + converted(e+".value", *from.Elem, *to.Elem, depth+1) + "}"
		return "map_from_entries(list_transform(map_entries(" + text + "),lambda " + e + ":" + pair + "))"
	case from.Kind == types.Struct && to.Kind == types.Struct && len(from.Fields) == len(to.Fields):
		fields := make([]string, len(to.Fields))
		for i := range fields {
			field := "struct_extract_at(" + text + "," + strconv.Itoa(i+1) + ")"
			fields[i] = expr.DuckString(expr.DuckFieldName(to, i)) + ":" + converted(field, from.Fields[i].Type, to.Fields[i].Type, depth+1)
		}
		return "(CASE WHEN " + text + " IS NOT NULL THEN {" + strings.Join(fields, ",") + "} END)"
	}
	return "(" + expr.CastSQL(text, from, to, expr.CastANSI) + ")"
}

// readParquet emits read_parquet over an explicit list with an explicit schema: columns by name, with the table's
// types, NULL where a file lacks one. Nothing is opened to bind it. Partition columns are not in the files: they come
// from the number of the file within the list. All files are alike in what byStored looks at.
func (s *query) readParquet(n *plan.Scan, files []engine.ParquetFile) (*block, error) {
	paths := make([]string, len(files))
	for i, f := range files {
		p, err := s.literalPath(f.Path)
		if err != nil {
			return nil, err
		}
		paths[i] = p
	}
	parts := partitionColumns(n)
	for _, f := range files {
		if len(f.Partition) != len(parts) {
			return nil, internal("file %s has %d partition values instead of %d", f.Path, len(f.Partition), len(parts))
		}
	}
	// One file that fits is bound as it is: DuckDB then knows the ranges of its columns, by which it orders joins and chooses
	// how to join and to group.
	alone := len(files) == 1 && files[0].Exact && files[0].Mask == nil && len(n.Out) > len(parts) && slices.Min(n.Fields) >= 0
	schema, list, computed := strings.Builder{}, strings.Builder{}, len(parts) > 0 || alone
	for i, c := range n.Out {
		if k := slices.Index(parts, i); k >= 0 {
			text, err := s.fileValue(c.Type, files, func(f *engine.ParquetFile) types.Value { return f.Partition[k] })
			if err != nil {
				return nil, err
			}
			item(&list, text, c)
			continue
		}
		switch n.Fields[i] {
		case plan.FileField, plan.URIField, plan.BlockStartField, plan.BlockLengthField:
			text, err := s.fileValue(c.Type, files, func(f *engine.ParquetFile) types.Value { return f.Says(n.Fields[i]) })
			if err != nil {
				return nil, err
			}
			item(&list, text, c)
			computed = true
			continue
		case plan.RowField:
			item(&list, "file_row_number", c)
			computed = true
			continue
		}
		name, text, t := columnName(c.ID), columnName(c.ID), c.Type
		if from, ok := files[0].Stored[i]; ok {
			name, t = "s"+name[1:], from
			text, computed = converted(name, from, c.Type, 0), true
		}
		if c.Type.Kind == types.Char {
			// Writers store CHAR values without their trailing blanks; Spark pads them when it reads.
			text, computed = padded(text, c.Type.Precision), true
			name = "s" + name[1:]
			text = strings.ReplaceAll(text, columnName(c.ID), name)
		}
		f := n.Relation.Schema[n.Fields[i]]
		if strings.IndexByte(f.Name, 0) >= 0 {
			return nil, errZeroInName
		}
		if alone {
			item(&list, castTo(expr.DuckIdent(f.Name), t), c)
			continue
		}
		inFile := f.Name
		if as, ok := files[0].Names[i]; ok {
			inFile = as
		}
		field(&schema, inFile, name, expr.DuckType(t), missing(f))
		item(&list, text, c)
	}
	if alone {
		return &block{from: "read_parquet(" + s.fileList(paths) + ",hive_partitioning=false,union_by_name=false)", list: list.String()}, nil
	}
	if schema.Len() == 0 {
		// A count alone: one column that no file has, so that only the number of rows is read.
		field(&schema, "\x01", "none", "BOOLEAN", "NULL")
	}
	b := &block{from: "read_parquet(" + s.fileList(paths) + ",schema=MAP{" + schema.String() +
		"},hive_partitioning=false,union_by_name=false" + cardinality(files) + ")"}
	if computed {
		b.list = list.String()
	}
	if files[0].Mask != nil {
		b.where = []string{s.masked(files)}
		// What stands above must not be evaluated for rows that are no rows of the table.
		if b.list == "" {
			b.list = names(n.Out)
		}
	}
	return b, nil
}

// padded is a text filled up with blanks to n characters; a longer one stays as it is.
func padded(text string, n int) string {
	return "(CASE WHEN length(" + text + ")<" + strconv.Itoa(n) + " THEN rpad(" + text + "," + strconv.Itoa(n) + ",' ') ELSE " + text + " END)"
}

// cardinality tells DuckDB how many rows the files hold. With an explicit schema it opens no footer to bind, so it would have to
// guess, and joins of many tables would run in a bad order.
func cardinality(files []engine.ParquetFile) string {
	var rows int64
	for _, f := range files {
		if f.Rows <= 0 {
			return ""
		}
		rows += f.Rows
	}
	return ",explicit_cardinality=" + strconv.FormatInt(rows, 10)
}

// missing is what a column is in files that lack it, as DuckDB reads it from text: one argument holds those of all columns.
func missing(f types.Field) string {
	if f.Missing == nil {
		return "NULL"
	}
	s, err := types.Cast(f.Missing, f.Type, types.Of(types.String), types.CastOptions{Zone: time.UTC})
	text, ok := s.(string)
	if err != nil || !ok {
		return "NULL"
	}
	if f.Type.Kind == types.Timestamp {
		text += "+00"
	}
	return quote(text)
}

// field adds one column to the schema argument: the name in the files, ours, the type, and what it is in files that lack it.
func field(schema *strings.Builder, name, as, typ, missing string) {
	if schema.Len() > 0 {
		schema.WriteByte(',')
	}
	schema.WriteString(quoteAny(name) + ":{'name':" + quote(as) + ",'type':" + quote(typ) + ",'default_value':" + missing + "}")
}

// partitionColumns are the indexes into Out of the scan's partition columns.
func partitionColumns(n *plan.Scan) []int {
	var out []int
	for i, f := range n.Fields {
		if f < 0 {
			continue
		}
		name := n.Relation.Schema[f].Name
		for _, p := range n.Relation.Partition {
			if strings.EqualFold(p, name) {
				out = append(out, i)
				break
			}
		}
	}
	return out
}

// literalPath is a path that DuckDB takes literally for the file.
func (s *query) literalPath(path string) (string, error) {
	s.paths = append(s.paths, path)
	if !isPattern(path) && isText(path) {
		return path, nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", sqlerr.EngineStart(err)
	}
	if s.links == nil {
		s.links = &links{}
	}
	return s.links.add(s.db.dir, abs)
}

// fileValue emits what value says of the file that a row comes from: a constant when all files share it, else an element of
// the list of the distinct values, which the number of the file selects.
func (s *query) fileValue(t types.Type, files []engine.ParquetFile, value func(*engine.ParquetFile) types.Value) (string, error) {
	var texts []string
	var values []types.Value
	index := map[string]int{}
	codes := make([]int64, len(files))
	for i := range files {
		v := value(&files[i])
		text, err := literal(v, t)
		if err != nil {
			return "", err
		}
		code, ok := index[text]
		if !ok {
			code = len(texts)
			index[text] = code
			texts, values = append(texts, text), append(values, v)
		}
		codes[i] = int64(code) + 1
	}
	if len(texts) == 1 {
		return texts[0], nil
	}
	dict := "[" + strings.Join(texts, ",") + "]"
	if len(texts) >= longList {
		dict = s.parameter(parameter{typ: t, values: values})
	}
	at := "file_index::BIGINT+1"
	if len(texts) < len(files) {
		at = s.codeList(codes) + "[" + at + "]"
	}
	return dict + "[" + at + "]", nil
}
