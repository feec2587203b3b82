package text

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// Charset is the character set that the options ask for, "" for UTF-8; the error is a *sqlerr.Error.
func Charset(opts format.Options) (string, error) {
	for _, name := range []string{"encoding", "charset"} {
		v, ok := opts.Get(name)
		if !ok {
			continue
		}
		if isUTF8(v) {
			return "", nil
		}
		if charsetOf(v) == nil {
			return "", sqlerr.OptionCharset(name, v)
		}
		return v, nil
	}
	return "", nil
}

func isUTF8(name string) bool {
	return strings.EqualFold(name, "utf-8") || strings.EqualFold(name, "utf8")
}

func charsetOf(name string) encoding.Encoding {
	switch strings.ToUpper(name) {
	case "UTF-16", "UTF16", "UNICODE":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "UTF-16BE":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case "UTF-16LE":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "UTF-32", "UTF32":
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case "UTF-32BE":
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	case "UTF-32LE":
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	}
	enc, err := ianaindex.IANA.Encoding(name)
	if err != nil {
		return nil
	}
	return enc
}

// decode turns r into UTF-8 without a byte order mark. Without a charset the text is UTF-8, unless it begins as
// UTF-16 or UTF-32 does.
func decode(r io.Reader, charset string) (io.Reader, error) {
	in, ok := r.(*bufio.Reader)
	if !ok {
		in = bufio.NewReaderSize(r, 64<<10)
	}
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if charset == "" {
		if charset = sniff(head); charset == "" {
			if bytes.HasPrefix(head, bom) {
				_, err = in.Discard(len(bom))
				return in, err
			}
			return in, nil
		}
	}
	enc := charsetOf(charset)
	if enc == nil {
		return nil, sqlerr.OptionCharset("encoding", charset)
	}
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(head, []byte{0, 0, 0xfe, 0xff}):
		if strings.HasPrefix(strings.ToUpper(charset), "UTF-32") && len(charset) > 6 {
			_, err = in.Discard(4)
		}
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		if strings.HasPrefix(strings.ToUpper(charset), "UTF-16") && len(charset) > 6 {
			_, err = in.Discard(2)
		}
	}
	return transform.NewReader(in, enc.NewDecoder()), err
}

var bom = []byte{0xef, 0xbb, 0xbf}

// sniff guesses UTF-16 and UTF-32 from a byte order mark, or from the zero bytes beside a first ASCII character.
func sniff(head []byte) string {
	if len(head) < 4 {
		return ""
	}
	switch {
	case bytes.Equal(head, []byte{0xff, 0xfe, 0, 0}), bytes.Equal(head, []byte{0, 0, 0xfe, 0xff}):
		return "UTF-32"
	case head[0] == 0xff && head[1] == 0xfe, head[0] == 0xfe && head[1] == 0xff:
		return "UTF-16"
	case head[0] == 0 && head[1] == 0 && head[2] == 0 && head[3] != 0:
		return "UTF-32BE"
	case head[0] != 0 && head[1] == 0 && head[2] == 0 && head[3] == 0:
		return "UTF-32LE"
	case head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		return "UTF-16BE"
	case head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return "UTF-16LE"
	}
	return ""
}
