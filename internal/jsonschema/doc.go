// Package jsonschema is the one place that parses tool arguments strictly and
// checks them, and tool results, against JSON Schema.
//
// [Compile] and [CompileParameters] turn a schema into a [Schema]. For each
// call [Schema.Prepare] turns the text that a caller sent into the text that
// the guest gets, or into a list of [Faults]; [Schema.Validate] checks a result
// and changes nothing.
//
// # What Prepare does, in this order
//
// It parses strictly: UTF-8 only, no duplicate names, nothing after the value,
// no lone surrogates, bounded in size, depth, values and length of a number.
// An empty text, white space and null stand for an absent object; text that is
// not JSON is never read as one.
//
// It coerces, but only a value whose type the schema does not admit, only when
// the schema admits exactly one type there (null aside), and only when the way
// back is exact:
//   - a string to an integer or a number ("500", "-1.50", but not "0x10",
//     "1e3", "05", "+5", " 5 ", "-0" or "1.5" for an integer);
//   - "true" and "false" to a boolean;
//   - a number or a boolean to the string of its literal;
//   - a string that is itself strict JSON to the object or the array it
//     holds, because models often encode such parameters twice. The arguments
//     as a whole are never read like that.
//
// It drops undeclared fields where the schema is silent, that is where an
// object schema lists properties (the arguments themselves: always) and no
// additionalProperties, patternProperties, unevaluatedProperties, condition
// or open choice could declare the field elsewhere. Each drop is a warning
// with a suggestion. An object schema that lists no properties is an open map
// and keeps what was sent. additionalProperties decides wherever it stands.
//
// It adds defaults at any depth, after the fields that were sent and in the
// order of the schema. An optional object that is absent and has no default
// stays absent. A required object that is absent is made when the defaults of
// its own fields complete it, since {} is all that the caller could have said.
//
// For all three, $ref and allOf are followed, and the only branch of an anyOf
// or oneOf that admits the type at hand (X or null). Other branches,
// conditions and patternProperties take part in validation only.
//
// Then everything is validated, formats included (names of formats that are
// not known are ignored, as the standard asks), and all faults are told
// together. Numbers and strings reach the guest with the literals that were
// sent, so 9007199254740993, 1.10 and 1e2 survive.
//
// # What a schema can't do
//
// Read anything: a reference that leaves the schema is a fault, except to the
// meta-schemas of the supported drafts (4, 6, 7, 2019-09 and 2020-12).
// Take unbounded time: size, nesting, references, patterns and the work of one
// validation have ceilings. Patterns run on Go's linear-time engine (RE2: \d, \w
// and \s are ASCII, $ is the end of the text); one that it can't express is a
// fault of the schema.
package jsonschema
