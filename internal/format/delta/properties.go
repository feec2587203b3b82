package delta

import "strings"

// Properties are the metadata of a field: the text of a JSON object, which stays as it was written but for the members
// that are set or removed. The empty text is an empty object.
type Properties string

func (p Properties) orEmpty() Properties {
	if p == "" {
		return "{}"
	}
	return p
}

// Get is the JSON text of a member.
func (p Properties) Get(key string) (raw string, ok bool) {
	p.each(func(k, value string, _, _ int) {
		if k == key {
			raw, ok = value, true
		}
	})
	return raw, ok
}

// each calls fn with each member, its value's text, and where the member begins and ends.
func (p Properties) each(fn func(key, value string, start, end int)) {
	r := &jsonReader{text: string(p.orEmpty())}
	if !r.take('{') {
		return
	}
	for first := true; r.ok() && !r.take('}'); first = false {
		if !first && !r.take(',') {
			return
		}
		r.space()
		start := r.at
		key := r.str()
		if !r.take(':') {
			return
		}
		value := r.raw()
		if !r.ok() {
			return
		}
		fn(key, value, start, r.at)
	}
}

// Text is a member that is a string.
func (p Properties) Text(key string) (string, bool) {
	raw, ok := p.Get(key)
	if !ok || !strings.HasPrefix(raw, `"`) {
		return "", false
	}
	r := &jsonReader{text: raw}
	s := r.str()
	return s, r.ok()
}

// Long is a member that is a whole number.
func (p Properties) Long(key string) (int64, bool) {
	raw, ok := p.Get(key)
	if !ok {
		return 0, false
	}
	r := &jsonReader{text: raw}
	n := r.longOrNil()
	if n == nil || !r.ok() {
		return 0, false
	}
	return *n, true
}

// With sets a member to a JSON text, in its old place or at the end.
func (p Properties) With(key, raw string) Properties {
	text := string(p.orEmpty())
	member := string(appendJSONString(nil, key)) + ":" + raw
	from, to, members := -1, -1, 0
	p.each(func(k, _ string, start, end int) {
		members++
		if k == key {
			from, to = start, end
		}
	})
	if from >= 0 {
		return Properties(text[:from] + member + text[to:])
	}
	end := strings.LastIndexByte(text, '}')
	if end < 0 {
		return Properties("{" + member + "}")
	}
	if members > 0 {
		member = "," + member
	}
	return Properties(text[:end] + member + text[end:])
}

// WithText sets a member to a string.
func (p Properties) WithText(key, value string) Properties {
	return p.With(key, string(appendJSONString(nil, value)))
}

// WithLong sets a member to a number.
func (p Properties) WithLong(key string, n int64) Properties { return p.With(key, itoa(n)) }

// Without removes the members that drop says.
func (p Properties) Without(drop func(key string) bool) Properties {
	w := &jsonWriter{}
	w.open('{')
	dropped := false
	text := string(p.orEmpty())
	p.each(func(k, _ string, start, end int) {
		if drop(k) {
			dropped = true
			return
		}
		w.raw(text[start:end])
	})
	w.close('}')
	if !dropped {
		return p.orEmpty()
	}
	return Properties(w.buf)
}
