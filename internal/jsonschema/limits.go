package jsonschema

// Ceilings for arguments, results and any other document that is not a schema.
const (
	// MaxDocumentBytes bounds a document before and after preparation.
	MaxDocumentBytes = 8 << 20
	// MaxDepth bounds how deeply objects and arrays nest.
	MaxDepth = 64
	// MaxValues bounds the number of values (scalars, arrays and objects), and
	// with it the memory that a document takes while it is checked.
	MaxValues = 1 << 18
	// MaxNumberBytes bounds the literal of one number.
	MaxNumberBytes = 1024
	// maxMessageDepth bounds how deeply a message nests that holds a document.
	maxMessageDepth = 1000
	// MaxExponent bounds the exponent of a number, whatever its sign.
	MaxExponent = 1024
)

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
	// maxExcerpt bounds a value or name quoted in a message, in characters.
	maxExcerpt = 60
	// maxListed bounds the names or allowed values listed in a message.
	maxListed = 20
)

// bounds are the ceilings for parsing one text, and how to name the text.
type bounds struct {
	what                 string
	bytes, depth, values int
	loose                bool    // see ParseMessage
	work                 *budget // looks at the context of a call; nil without one
}

func documentBounds(what string) bounds {
	return bounds{what: what, bytes: MaxDocumentBytes, depth: MaxDepth, values: MaxValues}
}

func schemaBounds() bounds {
	return bounds{what: "the schema", bytes: MaxSchemaBytes, depth: MaxSchemaDepth, values: MaxSchemaValues}
}

// allowance is the work that a document of so many values and bytes may take.
func allowance(values, bytes int) int {
	return baseWork + workPerValue*values + bytes/bytesPerWork
}
