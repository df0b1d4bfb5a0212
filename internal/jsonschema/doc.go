// Package jsonschema parses the arguments of tools strictly, and checks arguments and results
// against JSON Schema. All arguments and results go through this package.
//
// [Compile] and [CompileParameters] turn a schema into a [Schema]. For each call, [Schema.Prepare]
// turns the arguments that the caller sent into the arguments that the guest gets, or returns
// [Violations]. [Schema.Validate] checks a result without changing it.
//
// # Steps of Prepare
//
// Prepare parses strictly. The arguments must be UTF-8, without duplicate names, lone surrogates or
// anything after the value. Their size, their depth, the number of their values and the length of
// their numbers are limited. An empty string, white space and null stand for an absent object. Any
// other input that is not JSON is an error.
//
// Prepare coerces a value if three conditions hold: the schema does not admit the type of the
// value, it admits exactly one other type (apart from null), and the conversion can be reversed
// exactly. It converts:
//   - a string to an integer or a number ("500", "-1.50", but not "0x10",
//     "1e3", "05", "+5", " 5 ", "-0" or "1.5" for an integer);
//   - "true" and "false" to a boolean;
//   - a number or a boolean to the string of its literal;
//   - a string that contains strict JSON to the object or the array that it encodes, because models
//     often encode such parameters twice. The arguments as a whole are never converted this way.
//
// Prepare renames a field that was sent under a further name of a property. The further names are
// listed by "x-aliases" in the property. A field that was sent under two of its names is an error.
//
// Prepare drops undeclared fields where the schema says nothing about them. That is the case where
// an object schema lists properties, and no additionalProperties, patternProperties,
// unevaluatedProperties, condition or open choice could declare the field elsewhere. Each drop
// gives a warning with a suggestion. An object schema that lists no properties is an open map and
// keeps all fields, except that the arguments themselves are never an open map. Where
// additionalProperties is present, it decides.
//
// Prepare adds defaults at any depth, after the fields that were sent, in the order of the schema.
// An absent optional object without a default stays absent. An absent required object is created if
// the defaults of its own fields complete it, because the caller could only have sent {}.
//
// These steps follow $ref and allOf. They also follow anyOf and oneOf if only one branch
// admits the type of the value, as in "X or null". Other branches, conditions and patternProperties
// only take part in validation.
//
// Finally, Prepare validates everything, including formats, and reports all violations together.
// Unknown formats are ignored, as the standard requires. Numbers and strings reach the guest with
// the literals that were sent, so 9007199254740993, 1.10 and 1e2 are preserved.
//
// # What a schema cannot do
//
// A schema cannot read anything: a reference out of the schema is an error, except to the
// meta-schemas of the supported drafts (4, 6, 7, 2019-09 and 2020-12).
//
// A schema cannot take unbounded time: its size, its nesting, its references, its patterns and the
// work of one validation are limited. Patterns run on Go's linear-time engine (RE2: \d, \w and \s
// are ASCII, $ is the end of the string). A pattern that the engine does not support is an error of
// the schema.
package jsonschema
