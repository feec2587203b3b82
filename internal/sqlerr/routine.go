package sqlerr

import (
	"strconv"
	"strings"
)

// routineConditions are those of session variables, parameters, EXECUTE IMMEDIATE and SQL functions.
var routineConditions = []row{
	{"VARIABLE_NOT_FOUND", "42883"},
	{"VARIABLE_ALREADY_EXISTS", "42723"},
	{"UNRESOLVED_VARIABLE", "42883"},
	{"DUPLICATE_ASSIGNMENTS", "42701"},
	{"DUPLICATE_VARIABLE_NAME_INSIDE_DECLARE", "42734"},
	{"ROW_SUBQUERY_TOO_MANY_ROWS", "21000"},
	{"INVALID_DEFAULT_VALUE", "42623"},
	{"UNSUPPORTED_FEATURE.SET_VARIABLE_USING_SET", "0A000"},
	{"UNSUPPORTED_FEATURE.SET_PATH_WHEN_DISABLED", "0A000"},
	{"INVALID_STATEMENT_FOR_EXECUTE_INTO", "07501"},
	{"INVALID_QUERY_MIXED_QUERY_PARAMETERS", "42613"},
	{"ALL_PARAMETERS_MUST_BE_NAMED", "07001"},
	{"UNSUPPORTED_EXPR_FOR_PARAMETER", "42K0E"},
	{"INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE", "42K09"},
	{"NULL_QUERY_STRING_EXECUTE_IMMEDIATE", "22004"},
	{"EXEC_IMMEDIATE_DUPLICATE_ARGUMENT_ALIASES", "42701"},
	{"ROUTINE_NOT_FOUND", "42883"},
	{"ROUTINE_ALREADY_EXISTS", "42723"},
	{"DUPLICATE_ROUTINE_PARAMETER_NAMES", "42734"},
	{"DUPLICATE_ROUTINE_RETURNS_COLUMNS", "42711"},
	{"USER_DEFINED_FUNCTIONS", "42601"},
	{"INVALID_SQL_FUNCTION_DATA_ACCESS", "42K0E"},
	{"CYCLIC_FUNCTION_REFERENCE", "42887"},
	{"NOT_A_TABLE_FUNCTION", "42887"},
	{"NOT_A_SCALAR_FUNCTION", "42887"},
	{"REQUIRED_PARAMETER_NOT_FOUND", "4274K"},
	{"UNRECOGNIZED_PARAMETER_NAME", "4274K"},
	{"UNEXPECTED_POSITIONAL_ARGUMENT", "4274K"},
	{"DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT", "4274K"},
	{"INVALID_TEMP_OBJ_QUALIFIER", "42602"},
	{"UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING", "0A000"},
	{"UNSUPPORTED_SQL_UDF_USAGE", "0A000"},
}

// VariableNotFound reports DROP or SET of a session variable that does not exist; name is quoted.
func VariableNotFound(name string) *Error {
	return newError("VARIABLE_NOT_FOUND", []Param{{"variableName", name}}, "There is no session variable %s. DROP … IF EXISTS tolerates a missing one.", name)
}

// VariableAlreadyExists reports DECLARE of a taken name; name is quoted.
func VariableAlreadyExists(name string) *Error {
	return newError("VARIABLE_ALREADY_EXISTS", []Param{{"variableId", name}}, "The session variable %s exists already. Use DECLARE OR REPLACE, or another name.", name)
}

// UnresolvedVariable reports the name of a variable that names nothing; name is quoted, path is where it was looked up.
func UnresolvedVariable(name, path string) *Error {
	return newError("UNRESOLVED_VARIABLE", []Param{{"variableName", name}, {"searchPath", path}}, "There is no session variable %s. Variables live in system.session: DECLARE makes one.", name)
}

// DuplicateAssignments reports SET VARIABLE of one variable twice; names are quoted.
func DuplicateAssignments(names string) *Error {
	return newError("DUPLICATE_ASSIGNMENTS", []Param{{"nameList", names}}, "More than one value is assigned to %s: keep one.", names)
}

// DuplicateDeclaration reports DECLARE of one name twice in one statement; name is quoted.
func DuplicateDeclaration(name string) *Error {
	return newError("DUPLICATE_VARIABLE_NAME_INSIDE_DECLARE", []Param{{"variableName", name}}, "The variable %s is declared twice: name it once.", name)
}

// VariableTypeOrDefault reports DECLARE with neither a type nor a default.
func VariableTypeOrDefault() *Error {
	return newError("INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED", nil, "A variable needs a type or a default: DECLARE v INT, or DECLARE v = 1.")
}

// RowSubqueryRows reports a query of more than one row where the values of one row are assigned.
func RowSubqueryRows() *Error {
	return newError("ROW_SUBQUERY_TOO_MANY_ROWS", nil, "The query gives more than one row, and its values go to single variables. Add a condition or LIMIT 1.")
}

// AssignmentArity reports a query of another number of columns than there are variables to assign.
func AssignmentArity(values, targets int) *Error {
	return newError("ASSIGNMENT_ARITY_MISMATCH", []Param{{"numExpr", strconv.Itoa(values)}, {"numTarget", strconv.Itoa(targets)}},
		"%d value(s) are assigned to %d variable(s): give each one.", values, targets)
}

// DefaultWithSubquery reports a query in the default of a variable; name is quoted.
func DefaultWithSubquery(name, text string) *Error {
	return newError("INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION", []Param{{"statement", "DECLARE VARIABLE"}, {"colName", name}, {"defaultValue", text}},
		"The default of %s holds a query: %s. Declare the variable without one, and SET VARIABLE it to the query.", name, text)
}

// SetVariableUsingSet reports SET v = 1 where v is a variable; name is quoted.
func SetVariableUsingSet(name string) *Error {
	return newError("UNSUPPORTED_FEATURE.SET_VARIABLE_USING_SET", []Param{{"variableName", name}}, "%s is a session variable, and SET is for settings. Write SET VARIABLE %s = ….", name, name)
}

// SetPath reports SET PATH, which would change where functions are looked for.
func SetPath() *Error {
	return newError("UNSUPPORTED_FEATURE.SET_PATH_WHEN_DISABLED", nil, "SET PATH is not enabled: functions are looked for among the built-in ones, then in the session, then in the current schema. Qualify the name.")
}

// ExecuteIntoNoQuery reports EXECUTE IMMEDIATE … INTO of a statement that is no query.
func ExecuteIntoNoQuery(text string) *Error {
	return newError("INVALID_STATEMENT_FOR_EXECUTE_INTO", []Param{{"sqlString", text}}, "INTO needs a query, which this is not: %s. Leave INTO out.", text)
}

// MixedParameters reports a statement with both ? and :name.
func MixedParameters() *Error {
	return newError("INVALID_QUERY_MIXED_QUERY_PARAMETERS", nil, "The statement has parameters of both kinds, ? and :name: use one kind.")
}

// ParametersMustBeNamed reports values without names for a statement with :name; exprs are those values.
func ParametersMustBeNamed(exprs string) *Error {
	return newError("ALL_PARAMETERS_MUST_BE_NAMED", []Param{{"exprs", exprs}}, "The statement takes values by name, and these have none: %s. Write USING value AS name.", exprs)
}

// ParameterExpression reports an expression that can be no value of a parameter.
func ParameterExpression(text string) *Error {
	return newError("UNSUPPORTED_EXPR_FOR_PARAMETER", []Param{{"invalidExprSql", `"` + text + `"`}}, "%s cannot be the value of a parameter: it must be an expression without queries and columns.", text)
}

// ExecuteTextType reports EXECUTE IMMEDIATE of a value that is no text.
func ExecuteTextType(typeName string) *Error {
	return newError("INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE", []Param{{"exprType", `"` + typeName + `"`}}, "EXECUTE IMMEDIATE takes the text of a statement, not a %s.", typeName)
}

// ExecuteTextNull reports EXECUTE IMMEDIATE of NULL.
func ExecuteTextNull(name string) *Error {
	return newError("NULL_QUERY_STRING_EXECUTE_IMMEDIATE", []Param{{"varName", name}}, "EXECUTE IMMEDIATE takes the text of a statement, and %s is NULL.", name)
}

// DuplicateArgumentAliases reports USING with one name twice.
func DuplicateArgumentAliases(names []string) *Error {
	list := strings.Join(names, ", ")
	return newError("EXEC_IMMEDIATE_DUPLICATE_ARGUMENT_ALIASES", []Param{{"aliases", list}}, "USING gives %s more than one value: keep one.", list)
}

// NotConstantString reports an argument that must be a constant text: why is NOT_CONSTANT, NULL or WRONG_TYPE.
func NotConstantString(why, name, text, typeName string) *Error {
	ps := []Param{{"name", name}, {"expr", text}}
	if why == "WRONG_TYPE" {
		ps = append(ps, Param{"dataType", typeName})
	}
	reason := map[string]string{"NOT_CONSTANT": "is not known before the statement runs", "NULL": "is NULL", "WRONG_TYPE": "is of type " + typeName}[why]
	return newError(Condition("NOT_A_CONSTANT_STRING."+why), ps, "%s takes a constant text, and %s %s.", name, text, reason)
}

// RoutineNotFound reports DROP or DESCRIBE of a function that does not exist; name is quoted.
func RoutineNotFound(name string) *Error {
	return newError("ROUTINE_NOT_FOUND", []Param{{"routineName", name}}, "There is no function %s. SHOW FUNCTIONS lists those there are; DROP … IF EXISTS tolerates a missing one.", name)
}

// RoutineAlreadyExists reports CREATE FUNCTION of a taken name; name is quoted.
func RoutineAlreadyExists(name string) *Error {
	return newError("ROUTINE_ALREADY_EXISTS", []Param{{"routineName", name}, {"newRoutineType", "routine"}, {"existingRoutineType", "routine"}},
		"The function %s exists already. Use OR REPLACE, IF NOT EXISTS, or another name.", name)
}

// DuplicateParameterNames reports a function with two parameters of one name.
func DuplicateParameterNames(routine, names string) *Error {
	return newError("DUPLICATE_ROUTINE_PARAMETER_NAMES", []Param{{"routineName", routine}, {"names", names}}, "The function %s has more than one parameter %s: names must differ.", routine, names)
}

// DuplicateReturnColumns reports RETURNS TABLE with two columns of one name.
func DuplicateReturnColumns(routine, columns string) *Error {
	return newError("DUPLICATE_ROUTINE_RETURNS_COLUMNS", []Param{{"routineName", routine}, {"columns", columns}}, "The function %s returns more than one column %s: names must differ.", routine, columns)
}

// DuplicateRoutineClause reports a clause that CREATE FUNCTION has twice.
func DuplicateRoutineClause(clause string) *Error {
	return newError("INVALID_SQL_SYNTAX.CREATE_ROUTINE_WITH_DUPLICATE_CLAUSES", []Param{{"clause", clause}}, "CREATE FUNCTION has more than one %s clause: keep one.", clause)
}

// CreateFunctionSyntax reports a form of CREATE FUNCTION that is never allowed: what is the last part of Spark's name.
func CreateFunctionSyntax(what, routine, says string) *Error {
	return newError(Condition("INVALID_SQL_SYNTAX."+what), []Param{{"functionName", routine}}, "%s", says)
}

// BadFunction reports a function whose definition cannot be: what is the last part of Spark's name for it.
func BadFunction(what, routine, says string) *Error {
	return newError(Condition("USER_DEFINED_FUNCTIONS."+what), []Param{{"functionName", routine}}, "The function %s cannot be made: %s", routine, says)
}

// FunctionOverWindow reports OVER behind a SQL function; name is quoted.
func FunctionOverWindow(name string) *Error {
	return newError("UNSUPPORTED_SQL_UDF_USAGE", []Param{{"functionName", name}, {"nodeName", "Window"}}, "The SQL function %s is no window function: leave OVER out.", name)
}

// BuiltinFunction reports DROP of a built-in function; name is quoted.
func BuiltinFunction(name string) *Error {
	return newError("FORBIDDEN_OPERATION", []Param{{"statement", "DROP"}, {"objectType", "FUNCTION"}, {"objectName", name}}, "%s is a built-in function, which cannot be dropped. To drop one of a schema, qualify the name.", name)
}

// CharAsString reports CHAR or VARCHAR where only STRING can be.
func CharAsString() *Error {
	return newError("UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING", nil, "A SQL function takes and returns STRING, not CHAR or VARCHAR.")
}

// FunctionDataAccess reports CONTAINS SQL of a function that reads tables or calls one that does.
func FunctionDataAccess() *Error {
	return newError("INVALID_SQL_FUNCTION_DATA_ACCESS", nil, "The function is declared CONTAINS SQL but reads tables: declare it READS SQL DATA, or leave the clause out.")
}

// InvalidRoutineDataAccess reports NO SQL or MODIFIES SQL DATA.
func InvalidRoutineDataAccess() *Error {
	return newError("INVALID_STATEMENT_OR_CLAUSE", []Param{{"operation", "SQL DATA ACCESS"}}, "A SQL function CONTAINS SQL or READS SQL DATA.")
}

// CyclicFunction reports a function that calls itself, also through others; path is quoted names.
func CyclicFunction(path []string) *Error {
	list := strings.Join(path, " -> ")
	return newError("CYCLIC_FUNCTION_REFERENCE", []Param{{"path", list}}, "The function would call itself: %s. Recursion is not possible.", list)
}

// NotATableFunction reports a scalar function in FROM.
func NotATableFunction(name string) *Error {
	return newError("NOT_A_TABLE_FUNCTION", []Param{{"functionName", name}}, "%s returns a value, not a table: call it in an expression.", name)
}

// NotAScalarFunction reports a table function in an expression.
func NotAScalarFunction(name string) *Error {
	return newError("NOT_A_SCALAR_FUNCTION", []Param{{"functionName", name}}, "%s returns a table: call it in FROM.", name)
}

// RequiredParameter reports a call without an argument for a parameter that has no default.
func RequiredParameter(routine, parameter, index string) *Error {
	return newError("REQUIRED_PARAMETER_NOT_FOUND", []Param{{"routineName", routine}, {"parameterName", parameter}, {"index", index}},
		"The function %s needs a value for its parameter %s.", routine, parameter)
}

// UnknownParameter reports an argument by a name that no parameter has.
func UnknownParameter(routine, argument string, near []string) *Error {
	return newError("UNRECOGNIZED_PARAMETER_NAME", []Param{{"routineName", routine}, {"argumentName", argument}, {"proposal", strings.Join(near, " ")}},
		"The function %s has no parameter %s; it has %s.", routine, argument, strings.Join(near, ", "))
}

// PositionalAfterNamed reports an argument without a name behind one with a name.
func PositionalAfterNamed(routine, parameter string) *Error {
	return newError("UNEXPECTED_POSITIONAL_ARGUMENT", []Param{{"routineName", routine}, {"parameterName", parameter}},
		"In the call of %s an argument without a name follows one with a name: put it first, or name it.", routine)
}

// ParameterAssignedTwice reports a parameter with two arguments: kind is DOUBLE_NAMED_ARGUMENT_REFERENCE or
// BOTH_POSITIONAL_AND_NAMED.
func ParameterAssignedTwice(kind, routine, parameter string) *Error {
	return newError(Condition("DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT."+kind), []Param{{"routineName", routine}, {"parameterName", parameter}},
		"The call of %s gives the parameter %s two values: keep one.", routine, parameter)
}

// TempQualifier reports a temporary function with a schema's name; both are quoted.
func TempQualifier(kind, name, qualifier string) *Error {
	return newError("INVALID_TEMP_OBJ_QUALIFIER", []Param{{"objectType", kind}, {"objectName", name}, {"qualifier", qualifier}},
		"The temporary %s %s cannot lie in %s: leave the qualifier out, or write session.", strings.ToLower(kind), name, qualifier)
}

// TempObject reports a permanent object that refers to a temporary one: kinds such as VIEW and VARIABLE, quoted names.
func TempObject(kind, name, tempKind, temp string) *Error {
	return newError("INVALID_TEMP_OBJ_REFERENCE", []Param{{"obj", kind}, {"objName", name}, {"tempObj", tempKind}, {"tempObjName", temp}},
		"The %s %s cannot be kept in the catalog because it refers to the temporary %s %s. Make it temporary too.", strings.ToLower(kind), name, strings.ToLower(tempKind), temp)
}
