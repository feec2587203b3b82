package conf

// fixedKeys are the settings of Spark's that change answers and that Tarn does not have: each stays as it is by default.
func fixedKeys() []Key {
	var ks []Key
	fixed := func(def string, names ...string) {
		for _, n := range names {
			ks = append(ks, Key{Name: n, Default: def, Fixed: true, Doc: "Only " + def + ": what Spark does otherwise is not built."})
		}
	}
	fixed("true", "spark.sql.legacy.sizeOfNull", "spark.sql.legacy.followThreeValuedLogicInArrayExists", "spark.sql.readSideCharPadding",
		"spark.sql.lateralColumnAlias.enableImplicitResolution", "spark.sql.jsonGenerator.ignoreNullFields", "spark.sql.parquet.int96AsTimestamp",
		"spark.sql.parquet.inferTimestampNTZ.enabled", "spark.sql.legacy.histogramNumericPropagateInputType", "spark.sql.legacy.literal.pickMinimumPrecision",
		"spark.sql.json.enablePartialResults", "spark.sql.json.enableExactStringParsing")
	fixed("false", "spark.sql.parser.escapedStringLiterals", "spark.sql.ansi.doubleQuotedIdentifiers", "spark.sql.ansi.relationPrecedence",
		"spark.sql.legacy.charVarcharAsString", "spark.sql.charAsVarchar", "spark.sql.preserveCharVarcharTypeInfo", "spark.sql.legacy.noCharPaddingInPredicate",
		"spark.sql.legacy.castComplexTypesToString.enabled", "spark.sql.legacy.createEmptyCollectionUsingStringType", "spark.sql.legacy.statisticalAggregate",
		"spark.sql.legacy.integerGroupingId", "spark.sql.legacy.exponentLiteralAsDecimal.enabled", "spark.sql.legacy.allowNegativeScaleOfDecimal",
		"spark.sql.legacy.typeCoercion.datetimeToString.enabled", "spark.sql.legacy.lpadRpadAlwaysReturnString",
		"spark.sql.legacy.decimal.retainFractionDigitsOnTruncate", "spark.sql.legacy.fromDayTimeString.enabled", "spark.sql.legacy.json.allowEmptyString.enabled",
		"spark.sql.legacy.disableMapKeyNormalization", "spark.sql.legacy.duplicateBetweenInput", "spark.sql.legacy.nullValueWrittenAsQuotedEmptyStringCsv",
		"spark.sql.legacy.parquet.nanosAsLong", "spark.sql.parquet.binaryAsString", "spark.sql.parquet.mergeSchema",
		"spark.sql.parquet.fieldId.read.enabled", "spark.sql.stableDerivedColumnAlias.enabled")
	fixed("CORRECTED", "spark.sql.legacy.timeParserPolicy")
	fixed("_corrupt_record", "spark.sql.columnNameOfCorruptRecord")
	return ks
}
