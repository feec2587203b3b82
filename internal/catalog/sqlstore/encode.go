package sqlstore

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/tarnlake/tarn/internal/partition"
)

// encodeMap is a map as a JSON object, its keys sorted; no entries are {}.
func encodeMap(m map[string]string) string {
	if len(m) == 0 {
		return "{}"
	}
	b, _ := json.Marshal(m) // cannot fail for text
	return string(b)
}

func decodeMap(text string) (map[string]string, error) {
	if text == "{}" {
		return nil, nil
	}
	var m map[string]string
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return nil, fmt.Errorf("%w: properties: %v", errDamaged, err)
	}
	return m, nil
}

func encodeList(l []string) string {
	if len(l) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(l)
	return string(b)
}

func decodeList(text string) ([]string, error) {
	if text == "[]" {
		return nil, nil
	}
	var l []string
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		return nil, fmt.Errorf("%w: partition columns: %v", errDamaged, err)
	}
	return l, nil
}

// Bits of a zone's first byte.
const (
	zoneHasNull = 1 << iota
	zoneHasValues
)

// encodeZones writes the value ranges of a segment's key columns: per column a byte of flags and, when it has values, the
// least and the greatest, each after its length as an unsigned varint.
func encodeZones(zones []partition.Zone) []byte {
	b := []byte{}
	for _, z := range zones {
		flags := byte(0)
		if z.HasNull {
			flags |= zoneHasNull
		}
		if z.Min != nil {
			flags |= zoneHasValues
		}
		b = append(b, flags)
		if z.Min != nil {
			b = binary.AppendUvarint(b, uint64(len(z.Min)))
			b = append(b, z.Min...)
			b = binary.AppendUvarint(b, uint64(len(z.Max)))
			b = append(b, z.Max...)
		}
	}
	return b
}

func decodeZones(b []byte) ([]partition.Zone, error) {
	var zones []partition.Zone
	text := func() ([]byte, bool) {
		n, w := binary.Uvarint(b)
		if w <= 0 || n > uint64(len(b)-w) {
			return nil, false
		}
		v := append([]byte{}, b[w:w+int(n)]...)
		b = b[w+int(n):]
		return v, true
	}
	for len(b) > 0 {
		flags := b[0]
		b = b[1:]
		z := partition.Zone{HasNull: flags&zoneHasNull != 0}
		if flags&^(zoneHasNull|zoneHasValues) != 0 {
			return nil, fmt.Errorf("%w: zone flags %#x", errDamaged, flags)
		}
		if flags&zoneHasValues != 0 {
			var ok1, ok2 bool
			z.Min, ok1 = text()
			z.Max, ok2 = text()
			if !ok1 || !ok2 {
				return nil, fmt.Errorf("%w: zones end early", errDamaged)
			}
		}
		zones = append(zones, z)
	}
	return zones, nil
}
