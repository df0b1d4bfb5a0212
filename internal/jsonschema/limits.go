package jsonschema

import "github.com/wasmtool/wasmtool/internal/jsontree"

// Ceilings for schemas.
const (
	// MaxSchemaBytes bounds the text of a schema.
	MaxSchemaBytes = 256 << 10
	// MaxSchemaDepth bounds how deeply the text of a schema nests.
	MaxSchemaDepth = 128
	// MaxSchemaValues bounds the number of JSON values in a schema.
	MaxSchemaValues = 1 << 16
	// MaxSubschemas bounds the number of schemas inside a schema. Compiling
	// takes time quadratic in it.
	MaxSubschemas = 2048
	// MaxPatternBytes bounds one regular expression.
	MaxPatternBytes = 4096
)

const (
	// maxLooseReferences bounds references to places that no keyword makes a
	// schema; the library copies its whole index for each of them.
	maxLooseReferences = 256
	// maxPatternCost and maxPatternsCost bound the compiled size, about in
	// instructions, of one regular expression and of all in a schema.
	maxPatternCost  = 20_000
	maxPatternsCost = 100_000
	// maxPlanSize bounds the sum of schemas looked at for all places of a
	// plan: allOf and recursion together can ask for exponentially many.
	maxPlanSize = 200_000
	// maxDefaultValues bounds what one default may grow to.
	maxDefaultValues = 10_000
	// maxIdentifiers bounds "$id": the library compares each with each.
	maxIdentifiers = 256
	// These make the budget of one validation, in visits of a subschema (about
	// a microsecond each): so much in any case, for each value, and for so many
	// bytes of the document.
	baseWork     = 100_000
	workPerValue = 8
	bytesPerWork = 8
)

const (
	// maxFaults bounds the faults, and maxWarnings the warnings, of one call.
	maxFaults   = 20
	maxWarnings = 20
	// maxWorded bounds the findings that are put into words to find the faults
	// to tell, maxNames those about names of fields, and maxMerged the allowed
	// values that several forms list together.
	maxWorded = 200
	maxNames  = 100
	maxMerged = 200
	// maxListed bounds the names or allowed values listed in a message.
	maxListed = 20
)

func schemaBounds() jsontree.Bounds {
	return jsontree.Bounds{What: "the schema", Bytes: MaxSchemaBytes, Depth: MaxSchemaDepth, Values: MaxSchemaValues}
}

// allowance is the work that a document of so many values and bytes may take.
func allowance(values, bytes int) int {
	return baseWork + workPerValue*values + bytes/bytesPerWork
}
