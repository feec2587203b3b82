package json

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// shape is a type prepared for reading: members are found by name, most often in the order of the schema.
type shape struct {
	types.Type
	members []member
	index   map[string]int
	elem    *shape // of an array, or the values of a map
}

type member struct {
	name  string
	shape *shape
}

func newShape(t types.Type) *shape {
	s := &shape{Type: t}
	switch t.Kind {
	case types.Struct:
		s.setMembers(t.Fields)
	case types.Array, types.Map:
		s.elem = newShape(*t.Elem)
	}
	return s
}

func (s *shape) setMembers(fields []types.Field) {
	s.index = make(map[string]int, len(fields))
	for i, f := range fields {
		s.members = append(s.members, member{f.Name, newShape(f.Type)})
		s.index[f.Name] = i
	}
}

// find returns the member of a name, -1 when there is none; guess is where it most likely is.
func (s *shape) find(name []byte, guess int) int {
	if guess < len(s.members) && s.members[guess].name == string(name) {
		return guess
	}
	if i, ok := s.index[string(name)]; ok {
		return i
	}
	return -1
}

// checkTypes refuses columns of types that are not read from JSON.
func checkTypes(name string, t types.Type, intervals bool) error {
	switch t.Kind {
	case types.CalendarInterval:
		if !intervals {
			return sqlerr.FileType("JSON", name, t.SQL())
		}
	case types.Void, types.Variant:
		return sqlerr.FileType("JSON", name, t.SQL())
	case types.Map:
		if !t.Key.Kind.IsText() {
			return sqlerr.FileType("JSON", name, t.SQL())
		}
		return checkTypes(name, *t.Elem, intervals)
	case types.Array:
		return checkTypes(name, *t.Elem, intervals)
	case types.Struct:
		for _, f := range t.Fields {
			if err := checkTypes(name, f.Type, intervals); err != nil {
				return err
			}
		}
	}
	return nil
}
