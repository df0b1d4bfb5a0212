package jsonschema

import "github.com/wasmtool/wasmtool/internal/jsontree"

// Limits for schemas.
const (
	// MaxSchemaBytes limits the size of a schema in bytes.
	MaxSchemaBytes = 256 << 10
	// MaxSchemaDepth limits the nesting of the JSON of a schema.
	MaxSchemaDepth = 128
	// MaxSchemaValues limits the number of JSON values in a schema.
	MaxSchemaValues = 1 << 16
	// MaxSubschemas limits the number of schemas inside a schema. The time to compile a schema
	// grows with the square of this number.
	MaxSubschemas = 2048
	// MaxPatternBytes limits the bytes of a regular expression.
	MaxPatternBytes = 4096
)

const (
	// maxLooseReferences limits the references to values that are schemas only because a reference
	// leads to them. The library copies its whole index for each such reference.
	maxLooseReferences = 256
	// maxPatternCost limits the approximate number of instructions of one compiled regular
	// expression, and maxPatternsCost the number for all expressions of a schema.
	maxPatternCost  = 20_000
	maxPatternsCost = 100_000
	// maxPlanSize limits the total number of schemas that are visited to compute all places. This
	// number can grow exponentially if allOf and recursion are combined.
	maxPlanSize = 200_000
	// maxDefaultValues limits the number of values in one default, including the defaults inside
	// it.
	maxDefaultValues = 10_000
	// maxIdentifiers limits the number of "$id" keywords, because the library compares each with
	// all others.
	maxIdentifiers = 256
	// The budget of one validation, in visits of a subschema, which take about a microsecond each:
	// baseWork, workPerValue for each value, and one for each bytesPerWork bytes of the document.
	baseWork     = 100_000
	workPerValue = 8
	bytesPerWork = 8
)

const (
	// maxViolations and maxWarnings limit the violations and the warnings of one call.
	maxViolations = 20
	maxWarnings   = 20
	// maxWorded limits the findings that get a message; the violations to report are chosen from
	// them. maxNames limits the findings about names of fields, and maxMerged the allowed values of
	// several forms together.
	maxWorded = 200
	maxNames  = 100
	maxMerged = 200
	// maxListed limits the names or allowed values that a message lists.
	maxListed = 20
)

func schemaBounds() jsontree.Bounds {
	return jsontree.Bounds{What: "the schema", Bytes: MaxSchemaBytes, Depth: MaxSchemaDepth, Values: MaxSchemaValues}
}

// allowance returns the budget for a document with that many values and bytes.
func allowance(values, bytes int) int {
	return baseWork + workPerValue*values + bytes/bytesPerWork
}
