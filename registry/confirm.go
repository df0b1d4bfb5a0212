package registry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/placeholder"
)

// parseConfirm reads the author's question and checks that it names parameters of
// the tool.
func parseConfirm(text string, schema *jsonschema.Schema) (placeholder.Template, error) {
	template, err := placeholder.Parse(text)
	if err != nil {
		return template, err
	}
	for _, name := range template.Parameters() {
		if !declares(schema, name) {
			return template, fmt.Errorf("{%s} is not a parameter", name)
		}
	}
	return template, nil
}

// declares reports whether a schema has a parameter.
func declares(schema *jsonschema.Schema, name string) bool {
	return slices.ContainsFunc(schema.Parameters(), func(p jsonschema.Parameter) bool { return p.Name == name })
}

// Bounds of what the arguments add to a question, in bytes.
const (
	maxConfirmValue = 400
	maxConfirm      = 8 << 10
)

// confirmText fills the arguments into the author's question. A model may have
// written them, so they are quoted: no control character reaches a terminal, and
// no value can pass for the text around it.
func (x *execution) confirmText() string {
	text, err := x.entry.confirm.Expand(maxConfirm, func(name string) (string, bool) {
		value, ok := x.arguments.Text(name)
		if !ok {
			return "(none)", true
		}
		if len(value) > maxConfirmValue {
			value = strings.ToValidUTF8(value[:maxConfirmValue], "") + "..."
		}
		return strconv.QuoteToGraphic(value), true
	})
	if err != nil {
		return "(the author's question is too long with these arguments)"
	}
	return text
}
