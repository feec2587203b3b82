package delta

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

func TestVectorSamples(t *testing.T) {
	inline := &DeletionVector{StorageType: "i", PathOrInline: "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", SizeInBytes: 40, Cardinality: 6}
	rows, err := inline.Inline()
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(rows.All()); !slices.Equal(got, []uint64{3, 4, 7, 11, 18, 29}) {
		t.Errorf("%v", got)
	}
	relative := &DeletionVector{StorageType: "u", PathOrInline: "ab^-aqEH.-t@S}K{vb[*k^"}
	for _, root := range []string{"s3://b/t", "s3://b/t/"} {
		if got, err := relative.Location(root); got != "s3://b/t/ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin" || err != nil {
			t.Errorf("%s, %v", got, err)
		}
	}
	if got, err := (&DeletionVector{StorageType: "p", PathOrInline: "s3://b/a%20b.bin"}).Location("file:/x"); got != "s3://b/a b.bin" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := relative.Absolute("file:/a b"); err != nil || got.StorageType != "p" || got.PathOrInline != "file:/a%20b/ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []*DeletionVector{{StorageType: "u", PathOrInline: "short"}, {StorageType: "r", PathOrInline: "x"}, {StorageType: "u", PathOrInline: "ab^-aqEH.-t@S}K{vb[*k "}} {
		if _, err := bad.Location("file:/x"); !errors.Is(err, sqlerr.Condition("DELTA_DELETION_VECTOR_MALFORMED")) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestVectorsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := NewVectorFile([16]byte{1, 2, 3})
		var all []*Rows
		var descriptors []*DeletionVector
		for range rapid.IntRange(1, 3).Draw(t, "vectors") {
			rows := NewRows(rapid.SliceOf(rapid.Uint64Range(0, 1<<34)).Draw(t, "rows")...)
			d, err := f.Add(rows)
			if err != nil {
				t.Fatal(err)
			}
			all, descriptors = append(all, rows), append(descriptors, d)
		}
		for i, d := range descriptors {
			from, length := d.Range()
			got, err := d.Read("x", f.Bytes()[from:from+length])
			if err != nil || !got.bits.Equals(all[i].bits) {
				t.Fatalf("%v", err)
			}
			in, err := InlineVector(all[i])
			if err != nil {
				t.Fatal(err)
			}
			if got, err = in.Inline(); err != nil || !got.bits.Equals(all[i].bits) {
				t.Fatalf("inline: %v", err)
			}
			if at, err := d.Location("file:/t"); err != nil || at != "file:/t/"+f.Name() {
				t.Fatalf("%s, %v", at, err)
			}
		}
	})
}

func TestDamagedVectors(t *testing.T) {
	f := NewVectorFile([16]byte{})
	d, err := f.Add(NewRows(1, 5, 9))
	if err != nil {
		t.Fatal(err)
	}
	from, length := d.Range()
	good := f.Bytes()[from : from+length]
	for at := range good {
		bad := slices.Clone(good)
		bad[at] ^= 0x10
		if _, err := d.Read("x", bad); err == nil {
			t.Errorf("byte %d was changed and nobody noticed", at)
		}
	}
	if _, err := d.Read("x", good[:len(good)-1]); !errors.Is(err, sqlerr.Condition("DELTA_DELETION_VECTOR_SIZE_MISMATCH")) {
		t.Error(err)
	}
	other := *d
	other.Cardinality++
	if _, err := other.Read("x", good); !errors.Is(err, sqlerr.Condition("DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH")) {
		t.Error(err)
	}
}

func FuzzVector(f *testing.F) {
	file := NewVectorFile([16]byte{})
	if d, err := file.Add(NewRows(1, 2, 3, 1<<33, 70000, 70001)); err == nil {
		f.Add(file.Bytes()[5 : 5+d.SizeInBytes])
	}
	// A container that has a value twice.
	f.Add([]byte("\xd1\xd39d\x02\x00\x00\x00\x00\x00\x00\x000000:0\x00\x00\x02\x00\x00\x0000\x01\x0000\x00\x00000000000000000000:0\x00\x00\x01\x00\x00\x0000\x00\x00000000"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := decodeRows("x", data)
		if err != nil {
			return
		}
		again, err := rows.encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeRows("x", again)
		if err != nil || back.Len() != rows.Len() {
			t.Fatalf("%v", err)
		}
	})
}
