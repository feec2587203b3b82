package sqlerr

// families are the tables of conditions, one per file of this package.
var families = [][]row{
	general,
	parseConditions,
	fileConditions,
	analysisConditions,
	generatorConditions, changeConditions,
	recursionConditions,
	pipeConditions,
	catalogConditions,
	settingsConditions,
	routineConditions,
	ddlConditions,
	upgradeConditions,
	castConditions,
	functionConditions,
	lambdaConditions,
	textFunctionConditions,
	engineConditions,
	pathConditions,
	partitionConditions,
	writeConditions,
	transactionConditions,
	deltaConditions,
	deltaWriteConditions,
	deltaReadConditions,
}
