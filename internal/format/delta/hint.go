package delta

import (
	"crypto/md5" //nolint:gosec // the protocol says MD5; it guards against accidents
	"encoding/hex"
	"slices"
	"strings"
)

// Hint is what _last_checkpoint says: where a listing may begin. It is a floor, never a ceiling: newer checkpoints and
// commits count, and a hint that is missing, stale or damaged only makes the listing longer.
type Hint struct {
	Version       int64
	Size          int64  // actions in the checkpoint
	Parts         int    // 0 for a checkpoint in one file
	SizeInBytes   *int64 // of the checkpoint's files
	NumOfAddFiles *int64
}

// ParseHint reads _last_checkpoint. It fails when the text is no hint, has a key twice, or has a checksum that is another
// one; the error is a plain one, because callers go on without a hint.
func ParseHint(data []byte) (Hint, error) {
	h := Hint{Version: -1}
	r := &jsonReader{text: string(data)}
	checksum := ""
	r.object(func(key string) {
		switch key {
		case "version":
			if n := r.longOrNil(); n != nil {
				h.Version = *n
			}
		case "size":
			h.Size = r.long()
		case "parts":
			h.Parts = r.integer()
		case "sizeInBytes":
			h.SizeInBytes = r.longOrNil()
		case "numOfAddFiles":
			h.NumOfAddFiles = r.longOrNil()
		case "checksum":
			checksum = r.strOr()
		default:
			r.skip()
		}
	})
	r.end()
	switch {
	case !r.ok():
		return Hint{}, malformed(r.fault)
	case h.Version < 0:
		return Hint{}, malformed("there is no version")
	}
	want, err := jsonChecksum(string(data))
	if err != nil {
		return Hint{}, err
	}
	if checksum != "" && checksum != want {
		return Hint{}, malformed("the checksum is another one")
	}
	return h, nil
}

// JSON is the text of _last_checkpoint, with its checksum.
func (h Hint) JSON() []byte {
	w := &jsonWriter{}
	w.open('{')
	w.long("version", h.Version)
	w.long("size", h.Size)
	if h.Parts > 1 {
		w.long("parts", int64(h.Parts))
	}
	w.optionalLong("sizeInBytes", h.SizeInBytes)
	w.optionalLong("numOfAddFiles", h.NumOfAddFiles)
	bare := string(w.buf) + "}"
	// The text is ours and has no key twice.
	sum, _ := jsonChecksum(bare)
	w.member("checksum", sum)
	w.close('}')
	return w.buf
}

// jsonChecksum is the MD5 of a JSON text in the protocol's canonical form, the member checksum left out.
func jsonChecksum(text string) (string, error) {
	canonical, err := canonicalJSON(text)
	if err != nil {
		return "", err
	}
	sum := md5.Sum([]byte(canonical)) //nolint:gosec // see the import
	return hex.EncodeToString(sum[:]), nil
}

// canonicalJSON lists the leaves of a text as path=value, sorted by path.
func canonicalJSON(text string) (string, error) {
	type leaf struct{ path, value string }
	var leaves []leaf
	r := &jsonReader{text: text}
	var walk func(path string)
	walk = func(path string) {
		join := func(segment string) string {
			if path == "" {
				return segment
			}
			return path + "+" + segment
		}
		switch r.peek() {
		case '{':
			keys := map[string]bool{}
			r.object(func(key string) {
				if keys[key] {
					r.fail("the key " + key + " comes twice")
					return
				}
				keys[key] = true
				if path == "" && key == "checksum" {
					r.skip()
					return
				}
				walk(join(canonicalString(key)))
			})
		case '[':
			i := int64(0)
			r.array(func() {
				walk(join(itoa(i)))
				i++
			})
		case '"':
			leaves = append(leaves, leaf{path, canonicalString(r.str())})
		default:
			leaves = append(leaves, leaf{path, r.raw()})
		}
	}
	walk("")
	r.end()
	if !r.ok() {
		return "", malformed(r.fault)
	}
	slices.SortFunc(leaves, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	parts := make([]string, len(leaves))
	for i, l := range leaves {
		parts[i] = l.path + "=" + l.value
	}
	return strings.Join(parts, ","), nil
}

func canonicalString(s string) string {
	const upper = "0123456789ABCDEF"
	out := []byte{'"'}
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~", c) >= 0:
			out = append(out, c)
		default:
			out = append(out, '%', upper[c>>4], upper[c&15])
		}
	}
	return string(append(out, '"'))
}
