package registry

import (
	"fmt"
	"slices"
	"strconv"

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
		declared := func(p jsonschema.Parameter) bool { return p.Name == name }
		if !slices.ContainsFunc(schema.Parameters(), declared) {
			return template, fmt.Errorf("{%s} is not a parameter", name)
		}
	}
	return template, nil
}

// maxConfirmValue bounds, in characters, what one argument adds to a question.
const maxConfirmValue = 200

// confirmText fills the arguments into the author's question. A model may have
// written them, so they are quoted: no control character reaches a terminal, and
// no value can pass for the text around it.
func (x *execution) confirmText() string {
	text, _ := x.entry.confirm.Expand(func(name string) (string, bool) {
		value, ok := x.arguments.Text(name)
		if !ok {
			return "(none)", true
		}
		if runes := []rune(value); len(runes) > maxConfirmValue {
			value = string(runes[:maxConfirmValue]) + "..."
		}
		return strconv.QuoteToGraphic(value), true
	})
	return text
}
