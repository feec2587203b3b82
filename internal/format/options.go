package format

import "strings"

// Get returns the value of an option; names match in any case.
func (o Options) Get(name string) (value string, ok bool) {
	if v, ok := o[name]; ok {
		return v, true
	}
	for k, v := range o {
		if strings.EqualFold(k, name) {
			return v, true
		}
	}
	return "", false
}

// Is reports whether a true-or-false option is true; anything but "true" in any case is not.
func (o Options) Is(name string) bool {
	v, _ := o.Get(name)
	return strings.EqualFold(v, "true")
}
