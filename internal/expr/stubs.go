package expr

import "github.com/tarnlake/tarn/internal/types"

func patternFunctions() []Overload    { return nil }
func dateFunctions() []Overload       { return nil }
func dateTextFunctions() []Overload   { return nil }
func collectionFunctions() []Overload { return nil }
func mapFunctions() []Overload        { return nil }
func sessionFunctions() []Overload    { return nil }
func aliases() map[string]string      { return nil }
func textGoFunctions() []GoFunction   { return nil }
func dateGoFunctions() []GoFunction   { return nil }

func specialDate(s string, k types.Kind, ctx *Context) (types.Value, bool) { return nil, false }
