package catalog

// What a view's options say about it, beside its text.
const (
	// ViewColumnsOption holds the names that the columns of a view's query had when the view was made, so that they are found by
	// name when a table below gains columns.
	ViewColumnsOption = "queryColumns"
	// ViewModeOption is WITH SCHEMA, when it is not COMPENSATION.
	ViewModeOption = "schemaMode"
	// ViewNamedOption tells that the view has a column list, so that EVOLUTION keeps its columns.
	ViewNamedOption = "columnsGiven"
	// ViewSettingPrefix stands before the name of each setting under which the view was made. A view of before settings were kept
	// has none.
	ViewSettingPrefix = "setting."
)
