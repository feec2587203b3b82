package partition

// Dict gives each distinct directory name of one level a code, so that a name is classified once however often it
// occurs. A Dict belongs to one goroutine; Absorb joins the Dicts of several.
type Dict struct {
	layout    *Layout
	level     int
	byName    map[string]uint32
	spellings []Spelling
}

// NewDict makes the empty dictionary of a level.
func NewDict(layout *Layout, level int) *Dict {
	return &Dict{layout: layout, level: level, byName: map[string]uint32{}}
}

// Code is the code of a directory's name: an index into Spellings. When ok is false the name is no partition: for the
// reason given, or an ignored name when there is none; Layout.Classify gives the detail. name is not kept.
func (d *Dict) Code(name []byte) (code uint32, ok bool, reason Reason) {
	if code, ok := d.byName[string(name)]; ok {
		return code, true, ""
	}
	return d.add(string(name))
}

func (d *Dict) add(name string) (uint32, bool, Reason) {
	sp, ok, reason, _ := d.layout.Classify(d.level, name, Dir)
	if !ok {
		return 0, false, reason
	}
	code := uint32(len(d.spellings))
	d.spellings = append(d.spellings, sp)
	d.byName[name] = code
	return code, true, ""
}

// Spellings lists the names by code. The result is shared with d.
func (d *Dict) Spellings() []Spelling { return d.spellings }

// Len is the number of codes.
func (d *Dict) Len() int { return len(d.spellings) }

// Absorb adds the names of other to d and returns the new codes: remap[old code] = code in d.
func (d *Dict) Absorb(other *Dict) (remap []uint32) {
	remap = make([]uint32, len(other.spellings))
	for old, sp := range other.spellings {
		code, ok := d.byName[sp.Dir]
		if !ok {
			code = uint32(len(d.spellings))
			d.spellings = append(d.spellings, sp)
			d.byName[sp.Dir] = code
		}
		remap[old] = code
	}
	return remap
}
