package expr

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash/crc32"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// encodingFunctions are hashes, hexadecimal, base64, character sets and URL escapes.
func encodingFunctions() []Overload {
	text, binary, long, boolean := types.Of(types.String), types.Of(types.Binary), types.Of(types.BigInt), types.Of(types.Boolean)
	digest := func(name, duck string, f func([]byte) string) Overload {
		return Overload{Name: name, Params: one(StrictText), Returns: text, Duck: duck, Eval: text1(func(s string) types.Value { return f([]byte(s)) })}
	}
	hexOf := func(s string) types.Value { return strings.ToUpper(hex.EncodeToString([]byte(s))) }
	return []Overload{
		digest("md5", "md5($1)", func(b []byte) string { h := md5.Sum(b); return hex.EncodeToString(h[:]) }),
		digest("sha1", "sha1($1)", func(b []byte) string { h := sha1.Sum(b); return hex.EncodeToString(h[:]) }),
		{Name: "sha2", Params: []Class{BinaryOnly, IntNumber}, Returns: text, Duck: "tarn_sha2($1,$2)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return sha2(textOf(a[0]), intOf(a[1])), nil
		}},
		{Name: "crc32", Params: one(BinaryOnly), Returns: long, Duck: "tarn_crc32($1)", Eval: text1(func(s string) types.Value { return int64(crc32.ChecksumIEEE([]byte(s))) })},
		{Name: "hex", Params: one(StrictText), Returns: text, Duck: "hex($1)", Eval: text1(hexOf)},
		{Name: "hex", Params: one(LongNumber), Prepare: numberOnly, Returns: text, Duck: "hex(CAST($1 AS BIGINT))", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return strings.ToUpper(strconv.FormatUint(uint64(intOf(a[0])), 16)), nil
		}},
		{Name: "hex", Params: one(Text), Returns: text, Duck: "hex($1)", Eval: text1(hexOf)},
		{Name: "unhex", Params: one(Text), Returns: binary, Duck: "sp_unhex($1)", Eval: text1(unhex)},
		{Name: "base64", Params: one(BinaryOnly), Returns: text, Duck: "sp_base64($1)", Eval: text1(func(s string) types.Value { return base64Lines(s) })},
		{Name: "unbase64", Params: one(Text), Returns: binary, Duck: "tarn_unbase64($1)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return unbase64(textOf(a[0]))
		}},
		{Name: "encode", Params: two(Text), Prepare: codingArgs(Text), Returns: binary, Duck: "tarn_encode($1,$2,$3)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return encodeText(textOf(a[0]), textOf(a[1]), codingRules(textOf(a[2])))
		}},
		{Name: "decode", Params: []Class{BinaryOnly, Text}, Prepare: codingArgs(BinaryOnly), Returns: text, Duck: "tarn_decode($1,$2,$3)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return decodeText(textOf(a[0]), textOf(a[1]), codingRules(textOf(a[2])))
		}},
		{Name: "url_encode", Params: one(Text), Returns: text, Duck: "sp_url_encode($1)", Eval: text1(func(s string) types.Value {
			return strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(types.ReplaceInvalid(s)), "%2A", "*"), "~", "%7E")
		})},
		{Name: "url_decode", Params: one(Text), Returns: text, Duck: "tarn_url_decode($1)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return urlDecode(textOf(a[0]))
		}},
		{Name: "validate_utf8", Params: one(TextOrBinary), Returns: text, DuckFunc: byBinary("$1", "tarn_valid_utf8($1)"), Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return validText(textOf(a[0]))
		}},
		{Name: "try_validate_utf8", Params: one(TextOrBinary), Returns: text, DuckFunc: byBinary("$1", "CASE WHEN tarn_is_utf8($1) THEN tarn_text($1) END"), Eval: text1(func(s string) types.Value {
			if utf8.ValidString(s) {
				return s
			}
			return nil
		})},
		{Name: "make_valid_utf8", Params: one(TextOrBinary), Returns: text, DuckFunc: byBinary("$1", "tarn_make_utf8($1)"), Eval: text1(func(s string) types.Value { return types.ReplaceInvalid(s) })},
		{Name: "is_valid_utf8", Params: one(TextOrBinary), Returns: boolean, DuckFunc: byBinary("($1 IS NOT NULL OR NULL)", "tarn_is_utf8($1)"), Eval: text1(func(s string) types.Value { return utf8.ValidString(s) })},
	}
}

func validText(s string) (types.Value, error) {
	if !utf8.ValidString(s) {
		return nil, sqlerr.InvalidUTF8(s)
	}
	return s, nil
}

// unhex is NULL for text with another character than a hexadecimal digit; of an odd number, the first digit stands alone.
func unhex(s string) types.Value {
	if len(s)%2 == 1 {
		s = "0" + s
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		return nil
	}
	return types.Bytes(b)
}

func numberOnly(call *callSite) ([]Expr, error) {
	if !call.args[0].Type().Kind.IsNumeric() {
		return nil, errNextRow
	}
	return []Expr{implicit(call.args[0], types.Of(types.BigInt))}, nil
}

func sha2(s string, bits int64) types.Value {
	b := []byte(s)
	switch bits {
	case 0, 256:
		h := sha256.Sum256(b)
		return hex.EncodeToString(h[:])
	case 224:
		h := sha256.Sum224(b)
		return hex.EncodeToString(h[:])
	case 384:
		h := sha512.Sum384(b)
		return hex.EncodeToString(h[:])
	case 512:
		h := sha512.Sum512(b)
		return hex.EncodeToString(h[:])
	}
	return nil
}

// base64Lines breaks lines after 76 characters, as MIME asks.
func base64Lines(s string) string {
	e := base64.StdEncoding.EncodeToString([]byte(s))
	var b strings.Builder
	for len(e) > 76 {
		b.WriteString(e[:76] + "\r\n")
		e = e[76:]
	}
	b.WriteString(e)
	return b.String()
}

// unbase64 reads base 64 as Java's MIME decoder does: characters outside the alphabet do not count and padding may be left out, but
// where there is some it ends a group of four as it should.
func unbase64(s string) (types.Value, error) {
	bad := func() (types.Value, error) { return nil, sqlerr.ConversionInvalidInput(s, "BASE64", "BINARY") }
	inAlphabet := func(c byte) bool {
		return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/'
	}
	var clean []byte
	i := 0
	for ; i < len(s) && s[i] != '='; i++ {
		if inAlphabet(s[i]) {
			clean = append(clean, s[i])
		}
	}
	if i < len(s) {
		i++
		switch len(clean) % 4 {
		case 0: // padding of nothing
			return bad()
		case 2: // the second = follows at once
			if i == len(s) || s[i] != '=' {
				return bad()
			}
		}
		for ; i < len(s); i++ {
			if inAlphabet(s[i]) {
				return bad()
			}
		}
	}
	if len(clean)%4 == 1 {
		return bad()
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(clean)))
	n, err := base64.RawStdEncoding.Decode(out, clean)
	if err != nil {
		return bad()
	}
	return types.Bytes(out[:n]), nil
}

func urlDecode(s string) (types.Value, error) {
	out, err := url.QueryUnescape(s)
	if err != nil {
		return nil, sqlerr.CannotDecodeURL(s)
	}
	return types.ReplaceInvalid(out), nil
}
