package expr

import (
	"hash/crc32"
	"math/big"
	"sync"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/expr/javaregex"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// cache keeps what was made of the last few constant arguments, such as compiled patterns: nearly all calls of a query
// pass the same. It is bounded and safe for concurrent use.
type cache[V any] struct {
	mu   sync.RWMutex
	kept map[string]V
	make func(string) (V, error)
}

// cacheSize is how many entries a cache holds before it starts over.
const cacheSize = 256

func newCache[V any](f func(string) (V, error)) *cache[V] {
	return &cache[V]{kept: map[string]V{}, make: f}
}

func (c *cache[V]) get(key string) (V, error) {
	c.mu.RLock()
	v, ok := c.kept[key]
	c.mu.RUnlock()
	if ok {
		return v, nil
	}
	v, err := c.make(key)
	if err != nil {
		return v, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= cacheSize {
		clear(c.kept)
	}
	c.kept[key] = v
	return v, nil
}

// textGoFunctions are the GoFunctions on text, bytes, numbers as text and JSON.
func textGoFunctions() []GoFunction {
	text, binary, long, integer := types.Of(types.String), types.Of(types.Binary), types.Of(types.BigInt), types.Of(types.Int)
	double, boolean, list := types.Of(types.Double), types.Of(types.Boolean), types.ArrayOf(types.Of(types.String))
	params := func(ts ...types.Type) []types.Type { return ts }
	plain := func(name string, ps []types.Type, ret types.Type, f func(a []types.Value) types.Value) GoFunction {
		return GoFunction{name, ps, ret, func(a []types.Value) (types.Value, error) { return f(a), nil }}
	}
	one := func(name string, f func(string) string) GoFunction {
		return plain(name, params(text), text, func(a []types.Value) types.Value { return f(textOf(a[0])) })
	}
	// DuckDB's sums of DECIMAL(38,s) may have 39 digits.
	total := GoFunction{"tarn_decimal_sum", params(text), text, func(a []types.Value) (types.Value, error) {
		if d, ok := types.ParseDec(textOf(a[0])); ok && d.Digits() <= types.MaxPrecision {
			return a[0], nil
		}
		return nil, sqlerr.ArithmeticOverflow("The sum", "try_sum")
	}}
	regexes := newCache(func(p string) (*javaregex.Regex, error) { return compileRegex("regexp", p) })
	regex := func(name string, ps []types.Type, ret types.Type, f func(re *javaregex.Regex, a []types.Value) (types.Value, error)) GoFunction {
		return GoFunction{name, ps, ret, func(a []types.Value) (types.Value, error) {
			re, err := regexes.get(textOf(a[1]))
			if err != nil {
				return nil, err
			}
			return f(re, a)
		}}
	}
	schemas := newCache(ParseSchema)
	type likeKey struct{ pattern, escape string }
	likes := newCache(func(key string) ([]likeItem, error) {
		_, n := utf8.DecodeRuneInString(key)
		return compileLike(key[n:], key[:n])
	})
	return []GoFunction{
		total,
		{"tarn_try_decimal_list_sum", params(types.ArrayOf(text)), text, func(a []types.Value) (types.Value, error) {
			sum := sumDecimals(listOf(a[0]))
			if sum.Digits() > types.MaxPrecision {
				return nil, nil
			}
			return sum.String(), nil
		}},
		one("tarn_upper", upperText), one("tarn_lower", lowerText), one("tarn_initcap", initcap), one("tarn_soundex", soundex),
		{"tarn_round_decimal", params(text, text, integer, integer, integer), text, func(a []types.Value) (types.Value, error) {
			d, ok := types.ParseDec(textOf(a[1]))
			if !ok {
				return nil, nil
			}
			r, err := roundDecimal(textOf(a[0]), d, intOf(a[2]), types.DecimalOf(int(intOf(a[3])), int(intOf(a[4]))))
			if err != nil {
				return nil, err
			}
			return decOf(r).String(), nil
		}},
		plain("tarn_round_double", params(double, integer), double, func(a []types.Value) types.Value {
			return roundFloat("round", floatOf(a[0]), intOf(a[1]))
		}),
		{"tarn_conv", params(text, integer, integer), text, func(a []types.Value) (types.Value, error) {
			return conv(textOf(a[0]), intOf(a[1]), intOf(a[2]), false)
		}},
		{"tarn_conv_saturated", params(text, integer, integer), text, func(a []types.Value) (types.Value, error) {
			return conv(textOf(a[0]), intOf(a[1]), intOf(a[2]), true)
		}},
		{"tarn_lpad_binary", params(binary, integer, binary), binary, func(a []types.Value) (types.Value, error) {
			return padBytes(textOf(a[0]), intOf(a[1]), textOf(a[2]), true)
		}},
		{"tarn_rpad_binary", params(binary, integer, binary), binary, func(a []types.Value) (types.Value, error) {
			return padBytes(textOf(a[0]), intOf(a[1]), textOf(a[2]), false)
		}},
		plain("tarn_sha2", params(binary, integer), text, func(a []types.Value) types.Value { return sha2(textOf(a[0]), intOf(a[1])) }),
		plain("tarn_crc32", params(binary), long, func(a []types.Value) types.Value { return int64(crc32.ChecksumIEEE([]byte(textOf(a[0])))) }),
		{"tarn_unbase64", params(text), binary, func(a []types.Value) (types.Value, error) { return unbase64(textOf(a[0])) }},
		{"tarn_encode", params(text, text, text), binary, func(a []types.Value) (types.Value, error) {
			return encodeText(textOf(a[0]), textOf(a[1]), codingRules(textOf(a[2])))
		}},
		{"tarn_decode", params(binary, text, text), text, func(a []types.Value) (types.Value, error) {
			return decodeText(textOf(a[0]), textOf(a[1]), codingRules(textOf(a[2])))
		}},
		{"tarn_instr", params(text, text, integer, integer), integer, func(a []types.Value) (types.Value, error) {
			return instrFrom(textOf(a[0]), textOf(a[1]), intOf(a[2]), intOf(a[3]))
		}},
		{"tarn_url_decode", params(text), text, func(a []types.Value) (types.Value, error) { return urlDecode(textOf(a[0])) }},
		plain("tarn_is_utf8", params(binary), boolean, func(a []types.Value) types.Value { return utf8.ValidString(textOf(a[0])) }),
		plain("tarn_levenshtein", params(text, text), integer, func(a []types.Value) types.Value { return levenshtein(textOf(a[0]), textOf(a[1])) }),
		plain("tarn_substring_index", params(text, text, integer), text, func(a []types.Value) types.Value {
			return substringIndex(textOf(a[0]), textOf(a[1]), intOf(a[2]))
		}),
		{"tarn_like", params(text, text, text), boolean, func(a []types.Value) (types.Value, error) {
			k := likeKey{textOf(a[1]), textOf(a[2])}
			if utf8.RuneCountInString(k.escape) != 1 {
				return nil, sqlerr.InvalidEscapeCharacter(k.escape)
			}
			items, err := likes.get(k.escape + k.pattern)
			if err != nil {
				return nil, err
			}
			return matchLike(items, textOf(a[0])), nil
		}},
		regex("tarn_rlike", params(text, text), boolean, func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			return matchesRegex(re, textOf(a[0]))
		}),
		regex("tarn_regexp_replace", params(text, text, text, integer), text, func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			return replaceRegex(re, textOf(a[0]), textOf(a[2]), intOf(a[3]))
		}),
		regex("tarn_regexp_extract", params(text, text, integer), text, func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			return extractRegex(re, "regexp_extract", textOf(a[0]), intOf(a[2]))
		}),
		regex("tarn_regexp_extract_all", params(text, text, integer), list, func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			return extractAll(re, textOf(a[0]), intOf(a[2]))
		}),
		regex("tarn_regexp_count", params(text, text), integer, func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			return countMatches(re, textOf(a[0]))
		}),
		regex("tarn_regexp_substr", params(text, text), text, func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			return matchedText(re, textOf(a[0]))
		}),
		regex("tarn_regexp_instr", params(text, text), integer, func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			return matchPosition(re, textOf(a[0]))
		}),
		regex("tarn_split", params(text, text, integer), list, func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			return splitRegex(re, textOf(a[0]), intOf(a[2]))
		}),
		plain("tarn_json_member", params(text, text), text, func(a []types.Value) types.Value { return jsonMemberOf(textOf(a[0]), textOf(a[1])) }),
		plain("tarn_get_json_object", params(text, text), text, func(a []types.Value) types.Value { return jsonObject(textOf(a[0]), textOf(a[1])) }),
		plain("tarn_json_array_length", params(text), integer, func(a []types.Value) types.Value { return jsonArrayLength(textOf(a[0])) }),
		plain("tarn_json_object_keys", params(text), list, func(a []types.Value) types.Value { return jsonObjectKeys(textOf(a[0])) }),
		{"tarn_str_to_map_keys", params(text, text, text), list, func(a []types.Value) (types.Value, error) {
			keys, _, err := strToMap(textOf(a[0]), textOf(a[1]), textOf(a[2]))
			return keys, err
		}},
		{"tarn_str_to_map_values", params(text, text, text), list, func(a []types.Value) (types.Value, error) {
			_, values, err := strToMap(textOf(a[0]), textOf(a[1]), textOf(a[2]))
			return values, err
		}},
		{"tarn_valid_utf8", params(binary), text, func(a []types.Value) (types.Value, error) {
			return validText(textOf(a[0]))
		}},
		plain("tarn_make_utf8", params(binary), text, func(a []types.Value) types.Value { return types.ReplaceInvalid(textOf(a[0])) }),
		plain("tarn_mask", params(text, text, text, text, text), text, func(a []types.Value) types.Value {
			return maskText(textOf(a[0]), textOf(a[1]), textOf(a[2]), textOf(a[3]), textOf(a[4]))
		}),
		// A NUL stands for no character, which DuckDB's translate would write.
		plain("tarn_translate", params(text, text, text), text, func(a []types.Value) types.Value {
			return translate(textOf(a[0]), textOf(a[1]), textOf(a[2]))
		}),
		plain("tarn_internal_text", params(types.Type{}, text), text, func(a []types.Value) types.Value {
			t, err := schemas.get(textOf(a[1]))
			if err != nil {
				return nil
			}
			return InternalText(a[0], t)
		}),
		{"tarn_format_string", params(text, list, text), text, func(a []types.Value) (types.Value, error) {
			return formatStringTexts(textOf(a[0]), listOf(a[1]), textOf(a[2]))
		}},
		{"tarn_format_pattern", params(text, text, boolean), text, func(a []types.Value) (types.Value, error) {
			return formatPattern(textOf(a[0]), textOf(a[1]), a[2] == true)
		}},
		{"tarn_format_number", params(text, integer, boolean), text, func(a []types.Value) (types.Value, error) {
			return formatNumberText(textOf(a[0]), intOf(a[1]), a[2] == true), nil
		}},
	}
}

// sumDecimals adds decimals that are written as text, all of one scale.
func sumDecimals(list []types.Value) types.Dec {
	sum := types.Dec{Unscaled: new(big.Int)}
	for _, v := range list {
		d, ok := types.ParseDec(textOf(v))
		if !ok {
			continue
		}
		scale := max(d.Scale, sum.Scale)
		sum = types.Dec{Unscaled: new(big.Int).Add(sum.Rescale(scale).Unscaled, d.Rescale(scale).Unscaled), Scale: scale}
	}
	return sum
}
