package openapi

import (
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// Invisible characters in a document are escaped or removed with a note that names the place, or
// the operation is refused.
func TestHiddenCharacters(t *testing.T) {
	operation := func(text string) string {
		return document31 + "paths:\n  /a:\n    post:\n      operationId: a\n" + text
	}
	body := func(text string) string {
		return operation("      requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {p: {" + text + "}}}}}}\n")
	}
	for _, tt := range []struct {
		text, says string
		refused    bool
	}{
		{text: operation(`      summary: "S@"`), says: "the summary contains"},
		{text: operation(`      description: "D@"`), says: "the description contains"},
		{text: operation(`      parameters: [{name: q, in: query, description: "D@", schema: {type: string}}]`), says: "/properties/q/description contains"},
		{text: body(`description: "D@"`), says: "/properties/p/description contains"},
		{text: body(`title: "D@"`), says: "/properties/p/title contains"},
		{text: body(`examples: ["D@"]`), says: "/properties/p/examples/0 contains"},
		{text: body(`enum: ["@"]`), says: "/properties/p/enum/0 contains", refused: true},
		{text: body(`const: "@"`), says: "/properties/p/const contains", refused: true},
		{text: body(`default: "@"`), says: "/properties/p/default contains", refused: true},
		{text: body(`pattern: "@"`), says: "/properties/p/pattern contains", refused: true},
		{text: body(`properties: {"x@": {}}`), says: "/properties/p/properties/x", refused: true},
		{text: operation(`      parameters: [{name: "q@", in: query, schema: {type: string}}]`), says: "query", refused: true},
		{text: strings.Replace(operation(""), "/a:", `"/a@":`, 1), says: "contains", refused: true},
		{text: strings.Replace(operation(""), "example.com/v1", "example.com/v@", 1), says: "base_url", refused: true},
	} {
		_, written, refused := imported(t, strings.ReplaceAll(tt.text, "@", "\u200b"))
		reported := refused
		for _, w := range written {
			reported = append(reported, w.Notes...)
			if !plaintext.Plain(string(w.Manifest), plaintext.Lines) || jsonschema.CheckTexts(w.Files[tooldir.SchemaFile]) != nil {
				t.Errorf("%s\nbecomes %s\n%s", tt.text, w.Manifest, w.Files[tooldir.SchemaFile])
			}
		}
		if len(reported) != 1 || !strings.Contains(reported.Error(), tt.says) || !strings.Contains(reported.Error(), "U+200B") || reported[0].Line == 0 {
			t.Errorf("%s\ngot %v, want %s", tt.text, reported, tt.says)
		}
		if (len(refused) > 0) != tt.refused {
			t.Errorf("%s\nrefused is %v", tt.text, refused)
		}
	}
}
