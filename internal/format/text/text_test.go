package text_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the tests, where the machine has none

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/csv"
	"github.com/tarnlake/tarn/internal/format/text"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// hadoopBlocks writes text as Hadoop's block codecs do: blocks of some plain bytes, in chunks.
func hadoopBlocks(content string, block int, pack func(src []byte) []byte) string {
	var out bytes.Buffer
	number := func(n int) {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], uint32(n))
		out.Write(b[:])
	}
	for len(content) > 0 {
		part := []byte(content[:min(block, len(content))])
		content = content[len(part):]
		number(len(part))
		for len(part) > 0 {
			chunk := part[:min(1000, len(part))]
			part = part[len(chunk):]
			packed := pack(chunk)
			number(len(packed))
			out.Write(packed)
		}
	}
	return out.String()
}

func stream(t *testing.T, content string, open func(io.Writer) io.WriteCloser) string {
	t.Helper()
	var b bytes.Buffer
	w := open(&b)
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// bzipped is "a,b\n1,2\n" as bzip2 writes it.
const bzipped = "BZh91AY&SY\xbf\x87@\x7f\x00\x00\x03Y\x00\x00\x10\x00\x040\x000\x00 \x000\xc0\x08i\xb2\x88#'\x8b\xb9\x22\x9c(H_\xc3\xa0?\x80"

func TestOpen(t *testing.T) {
	content := strings.Repeat("a,b\n1,2\n", 700)
	zipped := stream(t, content, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	zs := stream(t, content, func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		if err != nil {
			t.Fatal(err)
		}
		return z
	})
	lz4Chunk := func(src []byte) []byte {
		dst := make([]byte, lz4.CompressBlockBound(len(src)))
		n, err := lz4.CompressBlock(src, dst, nil)
		if err != nil || n == 0 {
			t.Fatal(n, err)
		}
		return dst[:n]
	}
	for name, in := range map[string]string{
		"f.csv": content, "f.csv.gz": zipped, "f.csv.GZ": zipped, "plain name of gzip": zipped, "f.zst": zs, "plain name of zstd": zs,
		"f.deflate": stream(t, content, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }),
		"f.snappy":  hadoopBlocks(content, 2500, func(src []byte) []byte { return snappy.Encode(nil, src) }),
		"f.lz4":     hadoopBlocks(content, 2500, lz4Chunk),
		"frame.lz4": stream(t, content, func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) }),
		"two.gz":    stream(t, content[:800], func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }) + stream(t, content[800:], func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
	} {
		r, err := text.Open(context.Background(), memFile(t, name, in), "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != content {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		r.Close()
	}
	for name, in := range map[string]string{
		"text.gz": content, "cut.gz": zipped[:len(zipped)-12], "text.snappy": content, "text.lz4": content, "text.zst": content, "text.deflate": content, "text.bz2": content,
		"cut.zst": zs[:len(zs)-5], "cut.snappy": hadoopBlocks(content, 2500, func(src []byte) []byte { return snappy.Encode(nil, src) })[:100],
	} {
		r, err := text.Open(context.Background(), memFile(t, "dir/"+name, in), "")
		if err == nil {
			_, err = io.ReadAll(r)
			r.Close()
		}
		if !errors.Is(err, sqlerr.Condition("FAILED_READ_FILE.NO_HINT")) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	gone := memFile(t, "f.csv", content)
	gone.Key = "gone.csv"
	if _, err := text.Open(context.Background(), gone, ""); !errors.Is(err, sqlerr.Condition("FAILED_READ_FILE.FILE_NOT_EXIST")) {
		t.Errorf("a file that is gone: %v", err)
	}
}

// Lines come whole however the reader cuts the bytes.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sep := rapid.SampledFrom([]string{"", "\n", ";", "ab"}).Draw(t, "sep")
		body := rapid.StringMatching(`([abc;]{0,5}(\n|\r\n|\r|;|ab)){0,8}[abc]{0,3}`).Draw(t, "body")
		var want []string
		switch sep {
		case "":
			plain := strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
			want = strings.Split(plain, "\n")
		default:
			want = strings.Split(body, sep)
		}
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		lines := text.NewLines(iotestOneByte{strings.NewReader(body)}, sep)
		var got []string
		for {
			line, ok, err := lines.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			got = append(got, string(line))
		}
		if strings.Join(got, "\x00") != strings.Join(want, "\x00") || len(got) != len(want) {
			t.Fatalf("%q by %q: %q, want %q", body, sep, got, want)
		}
	})
}

// iotestOneByte reads one byte at a time, so that every place is a border of two reads.
type iotestOneByte struct{ r io.Reader }

func (o iotestOneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(1, len(p))]) }

func TestParseDecimal(t *testing.T) {
	for _, c := range []struct {
		in               string
		precision, scale int
		want             string // "" when it does not fit
	}{
		{"1.5", 5, 2, "1.50"},
		{"-1.005", 5, 2, "-1.01"},
		{"0.005", 5, 2, "0.01"},
		{"0.004", 5, 2, "0.00"},
		{"999.995", 5, 2, ""},
		{"999.994", 5, 2, "999.99"},
		{"1e2", 5, 2, "100.00"},
		{"1e-3", 5, 2, "0.00"},
		{"5e-3", 5, 2, "0.01"},
		{"00001.10", 5, 2, "1.10"},
		{".5", 5, 2, "0.50"},
		{"5.", 5, 2, "5.00"},
		{"+7", 5, 2, "7.00"},
		{"1e1000000", 5, 2, ""},
		{"1e-1000000", 5, 2, "0.00"},
		{"0e99", 5, 2, "0.00"},
		{"", 5, 2, ""},
		{".", 5, 2, ""},
		{"1e", 5, 2, ""},
		{"1x", 5, 2, ""},
		{"--1", 5, 2, ""},
		{"1.2.3", 5, 2, ""},
		{"12345678901234567890123456789012345678", 38, 0, "12345678901234567890123456789012345678"},
		{"99999999999999999999999999999999999999.5", 38, 0, ""},
		{"123456789012345678.555", 20, 2, "123456789012345678.56"},
		{"0.1", 38, 37, "0.1000000000000000000000000000000000000"},
		{"-0", 20, 0, "0"},
	} {
		small, large, ok := text.ParseDecimal([]byte(c.in), types.DecimalOf(c.precision, c.scale))
		got := ""
		if ok && c.precision <= 18 {
			got = types.NewDec(small, c.scale).String()
		} else if ok {
			got = types.Dec{Unscaled: large, Scale: c.scale}.String()
		}
		if got != c.want {
			t.Errorf("%q as DECIMAL(%d,%d) = %q, want %q", c.in, c.precision, c.scale, got, c.want)
		}
	}
}

func TestParseFloat(t *testing.T) {
	for in, want := range map[string]float64{
		"1.5": 1.5, " 1.5\t": 1.5, "1d": 1, "1F": 1, "NaN": math.NaN(), "-Infinity": math.Inf(-1), "+Infinity": math.Inf(1), "1e400": math.Inf(1), "0x1p3": 8, "0x1.8p1d": 3, ".5": 0.5, "5.": 5,
	} {
		if got, ok := text.ParseFloat([]byte(in), 64); !ok || got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%q = %v %v, want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{"", " ", "nan", "inf", "Inf", "infinity", "1_0", "0x1F", "d", "1dd", "0x_1p3", "+", "NaNd", "1,5"} {
		if got, ok := text.ParseFloat([]byte(in), 64); ok {
			t.Errorf("%q = %v, want none", in, got)
		}
	}
}

// A timestamp's fast way agrees with the slow one, over clock changes too.
func TestTimestampOfZones(t *testing.T) {
	zone, err := time.LoadLocation("Australia/Lord_Howe")
	if err != nil {
		t.Fatal(err)
	}
	times, err := text.NewTimes(nil, zone)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		local := rapid.Int64Range(1_700_000_000, 1_720_000_000).Draw(t, "seconds") * types.MicrosPerSecond
		s := types.FormatTimestampNTZ(local)
		want, ok := types.ParseTimestamp(s, zone)
		if got, gotOK := times.Timestamp([]byte(s)); got != want || gotOK != ok {
			t.Fatalf("%s = %d %v, want %d %v", s, got, gotOK, want, ok)
		}
	})
}

func TestCharIsPadded(t *testing.T) {
	schema := []types.Field{{Name: "c", Type: types.Type{Kind: types.Char, Precision: 4}}}
	r, err := csv.Reader{}.Open(context.Background(), memFile(t, "f.csv", "é\nabcdef\n"), schema, []int{0}, nil, format.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readAll(t, r, 1)
	if err != nil || len(rows) != 2 || rows[0][0] != "é   " || rows[1][0] != "abcdef" {
		t.Errorf("%q, %v", rows, err)
	}
}

func TestBzip2(t *testing.T) {
	for _, name := range []string{"f.csv.bz2", "plain name"} {
		r, err := text.Open(context.Background(), memFile(t, name, bzipped), "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != "a,b\n1,2\n" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		r.Close()
	}
}
