package delta

import (
	"slices"
	"sort"
)

// NewProtocol is the lowest protocol that supports the features, and what they need: versions alone where those mean
// just that, lists otherwise. A table without any wish has reader 1 and writer 2, as Spark makes it.
func NewProtocol(names ...string) *Protocol {
	return (&Protocol{MinReader: 1, MinWriter: 2}).With(names...)
}

// With is the protocol that supports more features. Features that the old versions implied are listed by name when lists
// come into use, since nobody can prove that they were never used. Versions never go down. Names that are unknown are
// taken for writers alone. p is left as it is.
func (p *Protocol) With(names ...string) *Protocol {
	have := p.Features()
	want := slices.Clone(have)
	for _, name := range names {
		want = addFeature(want, name)
	}
	if len(want) == len(have) {
		return p
	}
	sort.Strings(want)
	out := &Protocol{MinReader: max(p.MinReader, 1), MinWriter: max(p.MinWriter, 1)}
	var forReaders []string
	for _, name := range want {
		f := findFeature(name)
		if f == nil || !f.forReaders {
			continue
		}
		forReaders = append(forReaders, name)
		if f.reader > 0 {
			out.MinReader = max(out.MinReader, f.reader)
		} else {
			out.MinReader = readerWithFeatures
		}
	}
	if out.MinReader < readerWithFeatures && out.MinWriter < writerWithFeatures {
		if writer := legacyWriter(want, out.MinReader); writer >= out.MinWriter {
			out.MinWriter = writer
			return out
		}
	}
	out.MinWriter = writerWithFeatures
	out.WriterFeatures = want
	if out.MinReader == readerWithFeatures {
		out.ReaderFeatures = slices.Concat([]string{}, forReaders)
	}
	return out
}

func addFeature(set []string, name string) []string {
	if slices.Contains(set, name) {
		return set
	}
	set = append(set, name)
	if f := findFeature(name); f != nil {
		for _, need := range f.needs {
			set = addFeature(set, need)
		}
	}
	return set
}

// legacyWriter is the writer version that, with the reader version, implies exactly these features; 0 when none does.
func legacyWriter(want []string, reader int) int {
	for writer := 1; writer < writerWithFeatures; writer++ {
		if slices.Equal((&Protocol{MinReader: reader, MinWriter: writer}).Features(), want) {
			return writer
		}
	}
	return 0
}

// RequiredFeatures are the features that a table's properties and schema use, sorted. A table that gains one of them needs a
// protocol that supports it.
func RequiredFeatures(m *Metadata, s Schema) []string {
	var out []string
	for _, f := range features {
		// Features that nothing in the metadata turns on are asked for by name; previews are never chosen.
		if f.active == nil || f.name == "variantShredding" || isPreview(f.name) || !f.active(m, s) {
			continue
		}
		out = append(out, f.name)
	}
	sort.Strings(out)
	return out
}

func isPreview(name string) bool {
	const suffix = "-preview"
	return len(name) > len(suffix) && name[len(name)-len(suffix):] == suffix
}

// Equal reports whether two protocols say the same.
func (p *Protocol) Equal(o *Protocol) bool {
	return p.MinReader == o.MinReader && p.MinWriter == o.MinWriter && slices.Equal(p.Features(), o.Features())
}
