package expr

import "github.com/tarnlake/tarn/internal/types"

func mathFunctions() []Overload { return nil }
func stringFunctions() []Overload {
	return []Overload{{Name: "rtrim", Params: one(Text), Returns: types.Of(types.String), Duck: "rtrim($1,' ')"}}
}
func encodingFunctions() []Overload   { return nil }
func patternFunctions() []Overload    { return nil }
func dateFunctions() []Overload       { return nil }
func dateTextFunctions() []Overload   { return nil }
func collectionFunctions() []Overload { return nil }
func mapFunctions() []Overload        { return nil }
func sessionFunctions() []Overload    { return nil }
func aggregateFunctions() []Overload  { return nil }
func statisticsFunctions() []Overload { return nil }
func windowFunctions() []Overload     { return nil }
func aliases() map[string]string      { return nil }
func textGoFunctions() []GoFunction   { return nil }
func dateGoFunctions() []GoFunction   { return nil }

func specialDate(s string, k types.Kind, ctx *Context) (types.Value, bool) { return nil, false }
