package signature

import (
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

type typeScript struct{}

func (typeScript) named(kind string) string {
	switch kind {
	case "string", "number", "boolean", "object", "null":
		return kind
	case "integer":
		return "number"
	case "array":
		return "unknown[]"
	}
	return "unknown"
}

func (typeScript) list(item string) string {
	if strings.Contains(item, " | ") {
		item = "(" + item + ")"
	}
	return item + "[]"
}

func (typeScript) mapping(value string) string { return "Record<string, " + value + ">" }

func (typeScript) object(fields []field) string {
	var all []string
	for _, f := range fields {
		mark := "?: "
		if f.required {
			mark = ": "
		}
		all = append(all, key(f.name)+mark+f.kind)
	}
	return "{" + strings.Join(all, ", ") + "}"
}

func (typeScript) union(all []string) string { return strings.Join(all, " | ") }

func (typeScript) literal(v *jsontree.Value) string { return string(v.JSON()) }

func (w typeScript) parameters(fields []field) string {
	if len(fields) == 0 {
		return "()"
	}
	mark := "?"
	if fields[0].required {
		mark = ""
	}
	return "(args" + mark + ": " + w.object(fields) + ")"
}

func (typeScript) returns(result string) string { return ": Promise<" + result + ">" }
