package jsonschema

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	keyword "github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// namer names the values of one kind of document in messages.
type namer struct {
	root string // the name of the whole document
	noun string // the name of a value inside the document
	// schema reports whether the document is itself a schema.
	schema bool
}

var (
	argumentNamer = namer{root: "the arguments", noun: "parameter"}
	resultNamer   = namer{root: "the result", noun: "field"}
	defaultNamer  = namer{root: "the default", noun: "default field"}
	schemaNamer   = namer{root: "the schema", schema: true}
)

// subject names the value at a path. A verb can follow it directly.
func (s namer) subject(doc *jsontree.Value, path []string) string {
	if len(path) == 0 {
		return s.root + " "
	}
	if s.schema {
		return schemaSubject(jsontree.FormatPointer(path))
	}
	return s.noun + " " + jsontree.QuoteName(fieldName(doc, path)) + " "
}

// fieldName formats a path as a.b[0].
func fieldName(doc *jsontree.Value, path []string) string {
	var b strings.Builder
	parent := doc
	for i, token := range path {
		switch {
		case parent != nil && parent.Kind == jsontree.Array:
			b.WriteString("[" + token + "]")
		case i > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
		if parent != nil {
			parent = parent.At(path[i : i+1])
		}
	}
	return b.String()
}

// message returns the kind of a finding and its message, without the subject.
func (t *translator) message(one finding) (Kind, string) {
	got := ""
	v := t.doc.At(one.path)
	if v != nil {
		got = ", got " + v.Describe()
	}
	switch what := one.what.(type) {
	case missing:
		return KindMissing, t.missingMessage(one, what)
	case undeclared:
		return KindUndeclared, t.undeclaredMessage(one)
	case *keyword.Type:
		return KindType, "must be " + withArticles(typesNamed(what.Want)) + got
	case wrongTypes:
		return KindType, "must be " + withArticles(what.want) + got
	case *badFormat:
		return KindFormat, formatMessage(what) + got
	case *keyword.RefCycle:
		return KindLimit, "can't be checked: the schema refers to itself without end"
	case *notAllowed:
		return KindConstraint, allowedMessage(what, v) + got
	case noAlternative:
		return KindConstraint, t.formsMessage(what, one.path)
	case badName:
		return KindConstraint, fmt.Sprintf("must not have a field %s%s", jsontree.QuoteName(what.name), t.reasonsMessage(what.reasons))
	case *keyword.FalseSchema:
		return KindConstraint, "must not be given; the schema forbids it"
	case *keyword.OneOf:
		return KindConstraint, fmt.Sprintf("must fit exactly one of several forms, not forms %d and %d at once%s",
			what.Subschemas[0]+1, what.Subschemas[1]+1, got)
	case *keyword.Not:
		return KindConstraint, "must not have a form that the schema excludes" + got
	}
	return KindConstraint, boundMessage(one.what) + got
}

// boundMessage returns the message for a keyword that compares the value with one number or
// pattern.
func boundMessage(what any) string {
	switch what := what.(type) {
	case *keyword.Minimum:
		return "must be at least " + decimal(what.Want)
	case *keyword.Maximum:
		return "must be at most " + decimal(what.Want)
	case *keyword.ExclusiveMinimum:
		return "must be more than " + decimal(what.Want)
	case *keyword.ExclusiveMaximum:
		return "must be less than " + decimal(what.Want)
	case *keyword.MultipleOf:
		return "must be a multiple of " + decimal(what.Want)
	case *keyword.MinLength:
		return fmt.Sprintf("must have at least %s, not %d", plural(what.Want, "character"), what.Got)
	case *keyword.MaxLength:
		return fmt.Sprintf("must have at most %s, not %d", plural(what.Want, "character"), what.Got)
	case *keyword.MinItems:
		return fmt.Sprintf("must have at least %s, not %d", plural(what.Want, "item"), what.Got)
	case *keyword.MaxItems:
		return fmt.Sprintf("must have at most %s, not %d", plural(what.Want, "item"), what.Got)
	case *keyword.AdditionalItems:
		return fmt.Sprintf("must have %s fewer", plural(what.Count, "item"))
	case *keyword.MinProperties:
		return fmt.Sprintf("must have at least %s, not %d", plural(what.Want, "field"), what.Got)
	case *keyword.MaxProperties:
		return fmt.Sprintf("must have at most %s, not %d", plural(what.Want, "field"), what.Got)
	case *keyword.UniqueItems:
		return fmt.Sprintf("must have no equal items; items %d and %d are equal", what.Duplicates[0], what.Duplicates[1])
	case *keyword.Contains:
		return "must have an item of the form that the schema asks for under \"contains\""
	case *keyword.MinContains:
		return fmt.Sprintf("must have at least %s of the form under \"contains\", not %d", plural(what.Want, "item"), len(what.Got))
	case *keyword.MaxContains:
		return fmt.Sprintf("must have at most %s of the form under \"contains\", not %d", plural(what.Want, "item"), len(what.Got))
	case *keyword.Pattern:
		return "must match the pattern " + plaintext.Visible(jsontree.Cut(what.Want))
	}
	return "does not fit the schema"
}

func (t *translator) missingMessage(one finding, what missing) string {
	last := len(one.path) - 1
	name := one.path[last]
	text := "is required"
	if what.because != "" {
		text = fmt.Sprintf("is required when %s is given", jsontree.QuoteName(what.because))
	}
	text += " but missing"
	if pointer, ok := pointerInSchema(one.schema); ok {
		declared := t.schemas[pointer].Member("properties").Member(name).Member("type").Text()
		if declared != "" {
			text += "; expected " + withArticles(jsontype.Named(declared))
		}
	}
	for _, drop := range t.dropped {
		if drop.meant == name && jsontree.FormatPointer(drop.path) == jsontree.FormatPointer(one.path[:last]) {
			text += fmt.Sprintf("; %s was sent instead", jsontree.QuoteName(drop.name))
		}
	}
	return text
}

func (t *translator) undeclaredMessage(one finding) string {
	var declared []string
	if pointer, ok := pointerInSchema(one.schema); ok {
		declared = t.schemas[pointer].Member("properties").Names()
	}
	name := one.path[len(one.path)-1]
	return "is not declared and not allowed" + didYouMean(name, declared, "allowed are")
}

// subject names the value that a finding is about.
func (t *translator) subject(one finding) string {
	path := one.path
	if _, ok := one.what.(badName); ok && len(path) > 0 {
		path = path[:len(path)-1] // the object with the field
	}
	return t.namer.subject(t.doc, path)
}

// formsMessage explains why a value matches none of several forms.
func (t *translator) formsMessage(what noAlternative, path []string) string {
	const maxForms, maxFindings = 4, 2
	var texts []string
	for i, form := range what.forms[:min(len(what.forms), maxForms)] {
		reasons := each.Of(form[:min(len(form), maxFindings)], func(one finding) string { return t.nestedMessage(one, path) })
		texts = append(texts, fmt.Sprintf("(%d) %s", i+1, strings.Join(reasons, " and ")))
	}
	return fmt.Sprintf("must fit one of %d forms, but fits none: %s", len(what.forms), strings.Join(texts, "; "))
}

// nestedMessage is like message, but its result is a part of a longer message about the value at a
// path.
func (t *translator) nestedMessage(one finding, path []string) string {
	if nested, ok := one.what.(noAlternative); ok {
		return fmt.Sprintf("must fit one of %d forms", len(nested.forms))
	}
	_, text := t.message(one)
	if len(one.path) == len(path) {
		return text
	}
	return t.subject(one) + text
}

// reasonsMessage explains why a name is not allowed.
func (t *translator) reasonsMessage(reasons []finding) string {
	if len(reasons) == 0 {
		return ""
	}
	// The path of a reason starts at the name, which is not in the document.
	bare := translator{doc: &jsontree.Value{}, namer: t.namer}
	_, text := bare.message(finding{what: reasons[0].what, path: []string{""}})
	return ": the name " + text
}

func allowedMessage(what *notAllowed, got *jsontree.Value) string {
	if len(what.values) == 0 {
		return "can have no value"
	}
	if len(what.values) == 1 {
		return "must be " + treeExcerpt(what.values[0])
	}
	var texts, words []string
	for i, one := range what.values {
		if i < maxListed {
			texts = append(texts, treeExcerpt(one))
		}
		if word, ok := one.(string); ok {
			words = append(words, word)
		}
	}
	text := "must be one of " + strings.Join(texts, ", ")
	if more := len(what.values) - len(texts); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if got != nil && got.Kind == jsontree.String {
		if meant := nearest(got.Text(), words); meant != "" {
			text += fmt.Sprintf(" (did you mean %s?)", jsontree.QuoteName(meant))
		}
	}
	return text
}

// treeExcerpt returns the beginning of a value that is in the library's form.
func treeExcerpt(v any) string {
	text, err := plainjson.Encode(v)
	if err != nil {
		return "a value of the schema"
	}
	return plaintext.Visible(jsontree.Cut(string(text)))
}

// formatExamples describes the formats that the library checks.
var formatExamples = map[string]string{
	"date-time":    "a date and time such as 2026-01-31T08:30:00Z",
	"date":         "a date such as 2026-01-31",
	"time":         "a time such as 08:30:00Z",
	"duration":     "an ISO 8601 duration such as PT1H30M",
	"email":        "an e-mail address",
	"hostname":     "a host name",
	"ipv4":         "an IPv4 address such as 192.0.2.1",
	"ipv6":         "an IPv6 address such as 2001:db8::1",
	"uri":          "an absolute URI such as https://example.com/",
	"uuid":         "a UUID such as 01234567-89ab-cdef-0123-456789abcdef",
	"regex":        "a regular expression",
	"json-pointer": "a JSON pointer such as /a/0",
	"semver":       "a semantic version such as 1.2.3",
}

func formatMessage(what *badFormat) string {
	example := formatExamples[what.name]
	example = cmp.Or(example, "of the format "+what.name)
	return fmt.Sprintf("must be %s (%s)", example, plaintext.Visible(jsontree.Cut(what.reason.Error())))
}

// withArticles joins the names of types, with articles.
func withArticles(set jsontype.Set) string {
	names := strings.Split(set.String(), " or ")
	for i, name := range names {
		switch name {
		case "integer", "array", "object":
			names[i] = "an " + name
		case "string", "number", "boolean":
			names[i] = "a " + name
		}
	}
	return strings.Join(names, " or ")
}

// decimal formats a number of the schema.
func decimal(r *big.Rat) string {
	digits, _ := r.FloatPrec() // exact, because JSON numbers are decimal
	return jsontree.Cut(r.FloatString(digits))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
