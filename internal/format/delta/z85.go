package delta

// z85 are the 85 digits of ZeroMQ's base-85 encoding.
const z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

// z85Digits is the value of each byte; 255 for those that are no digit.
var z85Digits = func() (t [256]byte) {
	for i := range t {
		t[i] = 255
	}
	for i := range len(z85) {
		t[z85[i]] = byte(i)
	}
	return t
}()

// encodeZ85 writes bytes, padded with zeros to a multiple of 4.
func encodeZ85(data []byte) string {
	out := make([]byte, 0, (len(data)+3)/4*5)
	for i := 0; i < len(data); i += 4 {
		var n uint32
		for j := range 4 {
			n <<= 8
			if i+j < len(data) {
				n |= uint32(data[i+j])
			}
		}
		var five [5]byte
		for j := 4; j >= 0; j-- {
			five[j] = z85[n%85]
			n /= 85
		}
		out = append(out, five[:]...)
	}
	return string(out)
}

// decodeZ85 reads text whose length is a multiple of 5.
func decodeZ85(text string) ([]byte, bool) {
	if len(text)%5 != 0 {
		return nil, false
	}
	out := make([]byte, 0, len(text)/5*4)
	for i := 0; i < len(text); i += 5 {
		var n uint64
		for j := range 5 {
			d := z85Digits[text[i+j]]
			if d == 255 {
				return nil, false
			}
			n = n*85 + uint64(d)
		}
		if n > 1<<32-1 {
			return nil, false
		}
		out = append(out, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return out, true
}
