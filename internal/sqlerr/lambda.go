package sqlerr

import (
	"strconv"
	"strings"
)

var lambdaConditions = []row{
	{"INVALID_LAMBDA_FUNCTION_CALL", "42K0D"},
}

// NotHigherOrder reports a lambda given to a function that takes none.
func NotHigherOrder(function string) *Error {
	return newError("INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION", []Param{{"class", function}},
		"The function %s takes no lambda. Lambdas go to functions such as transform, filter and aggregate.", function)
}

// MisplacedLambda reports a lambda where a higher-order function takes an ordinary argument.
func MisplacedLambda(function string, place int) *Error {
	return newError("INVALID_LAMBDA_FUNCTION_CALL.PARAMETER_DOES_NOT_ACCEPT_LAMBDA_FUNCTION", nil,
		"Argument %d of %s is a lambda, but a value belongs there. Check the order of the arguments.", place, function)
}

// LambdaArgsMismatch reports a lambda that names got parameters where the function hands over want.
func LambdaArgsMismatch(got, want int) *Error {
	// Spark's parameters have the two numbers the other way round.
	return newError("INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH",
		[]Param{{"expectedNumArgs", strconv.Itoa(got)}, {"actualNumArgs", strconv.Itoa(want)}},
		"This lambda names %d parameter(s), but the function hands it %d.", got, want)
}

// LambdaDuplicateNames reports a lambda that names two parameters alike; names are these, back-quoted.
func LambdaDuplicateNames(names string) *Error {
	return newError("INVALID_LAMBDA_FUNCTION_CALL.DUPLICATE_ARG_NAMES",
		[]Param{{"args", names}, {"caseSensitiveConfig", `"spark.sql.caseSensitive"`}},
		"The parameters %s of this lambda have names that are equal. Give each a name of its own.", names)
}

// LambdaSubquery reports a sub-query inside a call of a higher-order function.
func LambdaSubquery() *Error {
	return newError("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.HIGHER_ORDER_FUNCTION", nil,
		"A higher-order function cannot hold a sub-query. Join with the sub-query first, and use its column here.")
}

// UnexpectedReturnType reports a lambda that yields another type than its function asks for.
func UnexpectedReturnType(sql, function, expected, actual string) *Error {
	return newError("DATATYPE_MISMATCH.UNEXPECTED_RETURN_TYPE",
		[]Param{{"sqlExpr", quoted(sql)}, {"functionName", "`" + function + "`"}, {"expectedType", quoted(expected)}, {"actualType", quoted(actual)}},
		"In %s, the lambda must yield %s, not %s.", quoted(sql), quoted(expected), quoted(actual))
}

// MapZipDiffTypes reports two maps whose keys have no common type.
func MapZipDiffTypes(sql, left, right string) *Error {
	return newError("DATATYPE_MISMATCH.MAP_ZIP_WITH_DIFF_TYPES",
		[]Param{{"sqlExpr", quoted(sql)}, {"functionName", "`map_zip_with`"}, {"leftType", quoted(left)}, {"rightType", quoted(right)}},
		"In %s, the keys of the two maps, %s and %s, do not go together.", quoted(sql), quoted(left), quoted(right))
}

// ComparatorReturnsNull reports a comparator that did not say how two elements compare.
func ComparatorReturnsNull() *Error {
	return newError("COMPARATOR_RETURNS_NULL", nil,
		"The comparator of array_sort gave NULL. Let it give a number for every pair, also where an element is NULL.")
}

// NullType reports a NULL without a type where a function needs to know one.
func NullType(sql, function string) *Error {
	return newError("DATATYPE_MISMATCH.NULL_TYPE", []Param{{"sqlExpr", quoted(sql)}, {"functionName", "`" + function + "`"}},
		"In %s, a NULL without a type is no argument of %s. Cast it, as in CAST(NULL AS INT).", quoted(sql), function)
}

// BinaryArrayDiffTypes reports two arguments that are not two arrays of one type.
func BinaryArrayDiffTypes(sql, function, left, right string) *Error {
	return newError("DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES",
		[]Param{{"sqlExpr", quoted(sql)}, {"functionName", "`" + function + "`"}, {"arrayType", `"ARRAY"`}, {"leftType", quoted(left)}, {"rightType", quoted(right)}},
		"In %s, the arguments must be two arrays with one type of elements, not %s and %s.", quoted(sql), quoted(left), quoted(right))
}

// MapConcatTypes reports arguments of map_concat that are no maps; dataTypes lists the types of all.
func MapConcatTypes(sql string, dataTypes []string) *Error {
	list := "[" + quoted(strings.Join(dataTypes, `", "`)) + "]"
	return newError("DATATYPE_MISMATCH.MAP_CONCAT_DIFF_TYPES",
		[]Param{{"sqlExpr", quoted(sql)}, {"functionName", "`map_concat`"}, {"dataType", list}},
		"In %s, all arguments must be maps, not %s.", quoted(sql), list)
}

// StructNames reports a name of a field of named_struct that is no constant text.
func StructNames(sql, input string) *Error {
	return newError("DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING", []Param{{"sqlExpr", quoted(sql)}, {"inputExprs", "[" + quoted(input) + "]"}},
		"In %s, the names of fields, every other argument, must be constant text, and %s is none.", quoted(sql), quoted(input))
}
