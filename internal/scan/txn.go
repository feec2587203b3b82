package scan

// txnLength is the length of a transaction's name: a ULID in Crockford's base 32.
const txnLength = 26

// TxnOf returns the transaction that a data file's name carries: part-<txn>-<task 5>-<attempt 2>-<seq 3>.<rest>, the digits
// being decimal. Only files that Tarn wrote have such names; ok is false for all others, which count whoever wrote
// them.
func TxnOf(name string) (txn string, ok bool) {
	const prefix = "part-"
	const length = len(prefix) + txnLength + len("-ddddd-dd-ddd.")
	if len(name) < length || name[:len(prefix)] != prefix {
		return "", false
	}
	txn = name[len(prefix) : len(prefix)+txnLength]
	if !IsTxn(txn) {
		return "", false
	}
	rest := name[len(prefix)+txnLength:]
	for i, c := range []byte("-ddddd-dd-ddd.") {
		if c == 'd' {
			if rest[i] < '0' || rest[i] > '9' {
				return "", false
			}
		} else if rest[i] != c {
			return "", false
		}
	}
	return txn, true
}

// IsTxn reports whether a text has the form of a transaction's name.
func IsTxn(s string) bool {
	if len(s) != txnLength {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isCrockford(s[i]) {
			return false
		}
	}
	return true
}

// isCrockford reports whether c is an upper-case digit of Crockford's base 32, which has no I, L, O and U.
func isCrockford(c byte) bool {
	switch {
	case '0' <= c && c <= '9':
		return true
	case 'A' <= c && c <= 'Z':
		return c != 'I' && c != 'L' && c != 'O' && c != 'U'
	}
	return false
}
