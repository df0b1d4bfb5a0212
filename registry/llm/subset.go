package llm

import "github.com/wasmtool/wasmtool/internal/jsontype"

// subset is what a provider's schemas may hold. A converter keeps what is in it.
type subset struct {
	// provider is its name in texts.
	provider string
	names    nameRule
	// tools and description are how many tools, and how many characters of a description,
	// all models take; 0 means any.
	tools, description int
	// fields is the rule for names of properties; the zero value allows all.
	fields nameRule
	// limit reports whether the provider knows a limit with this value; format is apart.
	limit func(name string, value any) bool
	// format reports whether the provider knows a format.
	format func(name string) bool
	// others tells that it knows not, if, patternProperties and the like.
	others bool
	// notes tells that it knows default and examples.
	notes bool
	// typeLists tells that "type" may list several types; null beside one may always stand.
	typeLists bool
	// typed tells that a type must be said wherever one can be.
	typed bool
	// items tells that an array must say something of its items.
	items bool
	// enums are the types of the values that an enum may list.
	enums jsontype.Set
	// tuples tells that it knows prefixItems.
	tuples bool
	// strict has further rules; nil means that the model is not held to the schema.
	strict *strictRules
}

// strictRules are the rules of a mode that holds the model to the schema.
type strictRules struct {
	// allRequired asks for all properties to be required: one that may be left out takes
	// null instead.
	allRequired bool
	// The bounds for one tool; 0 means none.
	depth, properties, nameBytes, enumValues int
	// longEnum is the number of values from which the texts of an enum may have at most
	// longEnumBytes.
	longEnum, longEnumBytes int
	// The bounds for all tools of a request; 0 means none.
	tools, optional, unions int
}

func anyLimit(string, any) bool { return true }

func anyFormat(string) bool { return true }
