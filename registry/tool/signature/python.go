package signature

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
)

type python struct{}

func (python) named(kind string) string {
	switch kind {
	case "string":
		return "str"
	case "number":
		return "float"
	case "integer":
		return "int"
	case "boolean":
		return "bool"
	case "object":
		return "dict"
	case "array":
		return "list"
	case "null":
		return "None"
	}
	return "Any"
}

func (python) list(item string) string     { return "list[" + item + "]" }
func (python) mapping(value string) string { return "dict[str, " + value + "]" }

// object writes the fields of a dict as a display, in which "key?" may be absent.
func (python) object(fields []field) string {
	return "{" + strings.Join(each.Of(fields, func(f field) string {
		name := f.name
		if !f.required {
			name += "?"
		}
		return strconv.Quote(name) + ": " + f.kind
	}), ", ") + "}"
}

func (python) union(all []string) string {
	var literals []string
	kinds := slices.DeleteFunc(slices.Clone(all), func(kind string) bool {
		value, ok := strings.CutPrefix(kind, "Literal[")
		if ok {
			literals = append(literals, strings.TrimSuffix(value, "]"))
		}
		return ok
	})
	if len(literals) > 0 {
		kinds = append([]string{"Literal[" + strings.Join(literals, ", ") + "]"}, kinds...)
	}
	return strings.Join(kinds, " | ")
}

func (python) literal(v *jsontree.Value) string { return "Literal[" + pythonValue(v) + "]" }

// pythonValue writes a scalar.
func pythonValue(v *jsontree.Value) string {
	switch text := string(v.JSON()); text {
	case "true":
		return "True"
	case "false":
		return "False"
	case "null":
		return "None"
	default:
		return text
	}
}

func (w python) parameters(fields []field) string {
	if slices.ContainsFunc(fields, func(f field) bool { return !identifier.MatchString(f.name) || slices.Contains(keywords, f.name) }) {
		return "(" + w.object(fields) + ")" // a dict, because a name cannot be a keyword argument
	}
	var all []string
	for _, f := range fields {
		text := f.name + ": " + f.kind
		switch {
		case f.required:
		case f.byDefault != nil:
			text += " = " + pythonValue(f.byDefault)
		default:
			text += " = ..."
		}
		all = append(all, text)
	}
	return "(" + strings.Join(all, ", ") + ")"
}

func (python) returns(result string) string { return " -> " + result }
