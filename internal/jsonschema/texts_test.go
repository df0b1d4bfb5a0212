package jsonschema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// spot marks the place where a test inserts an invisible character.
const spot = "@"

// Each schema in readers has a string that is only for readers. Each schema in values has a string
// that has an effect.
var (
	readers = map[string]string{
		"/title":                             `{"title":"a@"}`,
		"/description":                       `{"description":"@a"}`,
		"/$comment":                          `{"$comment":"a@b"}`,
		"/examples/0":                        `{"examples":["a@"]}`,
		"/examples/0/k/1":                    `{"examples":[{"k":[1,"a@"]}]}`,
		"/properties/title/title":            `{"properties":{"title":{"title":"@"}}}`,
		"/properties/enum/description":       `{"properties":{"enum":{"description":"@"}}}`,
		"/items/description":                 `{"items":{"description":"@"}}`,
		"/prefixItems/1/title":               `{"prefixItems":[true,{"title":"@"}]}`,
		"/anyOf/0/not/description":           `{"anyOf":[{"not":{"description":"@"}}]}`,
		"/$defs/a/then/title":                `{"$defs":{"a":{"then":{"title":"@"}}}}`,
		"/definitions/a~1b/title":            `{"definitions":{"a/b":{"title":"@"}}}`,
		"/additionalProperties/title":        `{"additionalProperties":{"title":"@"}}`,
		"/patternProperties/^x/title":        `{"patternProperties":{"^x":{"title":"@"}}}`,
		"/dependentSchemas/a/title":          `{"dependentSchemas":{"a":{"title":"@"}}}`,
		"/unevaluatedProperties/title":       `{"unevaluatedProperties":{"title":"@"}}`,
		"/contentSchema/propertyNames/title": `{"contentSchema":{"propertyNames":{"title":"@"}}}`,
	}
	values = map[string]string{
		"/properties/a@":              `{"properties":{"a@":{}}}`,
		"/patternProperties/a@":       `{"patternProperties":{"a@":{}}}`,
		"/$defs/@":                    `{"$defs":{"@":{}}}`,
		"/enum/1":                     `{"enum":["a","a@"]}`,
		"/enum/0/description":         `{"enum":[{"description":"@"}]}`,
		"/const":                      `{"const":"@"}`,
		"/default/title":              `{"default":{"title":"@"}}`,
		"/default/@":                  `{"default":{"@":1}}`,
		"/pattern":                    `{"pattern":"[@]"}`,
		"/format":                     `{"format":"date@"}`,
		"/required/0":                 `{"required":["@"]}`,
		"/dependentRequired/a/0":      `{"dependentRequired":{"a":["@"]}}`,
		"/$ref":                       `{"$ref":"#/$defs/@"}`,
		"/$id":                        `{"$id":"https://a.example/@"}`,
		"/$anchor":                    `{"$anchor":"@"}`,
		"/contentMediaType":           `{"contentMediaType":"@"}`,
		"/type/0":                     `{"type":["@"]}`,
		"/x-hint":                     `{"x-hint":"@"}`,
		"/x@":                         `{"x@":1}`,
		"/examples/0/@":               `{"examples":[{"@":"@"}]}`,
		"/properties/examples/enum/0": `{"properties":{"examples":{"enum":["@"]}}}`,
		"/properties/a":               `{"properties":{"a":"@"}}`,
		"/items/0/const":              `{"items":[{"const":"@"}]}`,
	}
)

// hiddenIn inserts a character into a string, both literally and as a JSON escape.
func hiddenIn(text string) []string {
	return []string{strings.ReplaceAll(text, spot, "\u200b"), strings.ReplaceAll(text, spot, `\u200B`), strings.ReplaceAll(text, spot, `\udb40\udc41`)}
}

func TestCheckTexts(t *testing.T) {
	for _, schemas := range []map[string]string{readers, values} {
		for at, text := range schemas {
			for _, hidden := range hiddenIn(text) {
				violation := CheckTexts(json.RawMessage(hidden))
				if violation == nil || strings.Map(plain, violation.Pointer) != strings.Map(plain, at) {
					t.Errorf("%s: got %v, want one at %s", hidden, violation, at)
				} else if !plaintext.Plain(violation.String(), plaintext.Word) {
					t.Errorf("%s: %q is not safe to print", hidden, violation)
				}
			}
			if violation := CheckTexts(json.RawMessage(strings.ReplaceAll(text, spot, "👩‍🚀"))); violation != nil {
				t.Errorf("%s: %v", text, violation)
			}
		}
	}
	for _, text := range []string{`{"properties":{"a\nb":{}}}`, `{"properties":{"a\tb":{}}}`} {
		if CheckTexts(json.RawMessage(text)) == nil {
			t.Errorf("%s: a name on two lines is legal", text)
		}
	}
	for _, text := range []string{``, `{`, `"\ud800"`, `{"description":"a\nb\r\n\t"}`, `{"enum":["\n","\t",","]}`} {
		if violation := CheckTexts(json.RawMessage(text)); violation != nil {
			t.Errorf("%s: %v", text, violation)
		}
	}
}

// plain removes characters that are not ASCII, and the spot.
func plain(r rune) rune {
	if r > '~' || r == '@' {
		return -1
	}
	return r
}

func TestCleanTexts(t *testing.T) {
	for at, text := range readers {
		for _, hidden := range hiddenIn(text) {
			clean, cleaned, refused := CleanTexts(json.RawMessage(hidden))
			if refused != nil || len(cleaned) != 1 || cleaned[0].Pointer != at || CheckTexts(clean) != nil {
				t.Errorf("%s becomes %s, cleaned %v, refused %v", hidden, clean, cleaned, refused)
			}
		}
		if got, _, _ := CleanTexts(json.RawMessage(hiddenIn(text)[0])); string(got) != strings.ReplaceAll(text, spot, `\\u200b`) {
			t.Errorf("%s becomes %s", text, got)
		}
		if got, cleaned, _ := CleanTexts(json.RawMessage(" " + text)); string(got) != " "+text || cleaned != nil {
			t.Errorf("%s becomes %s, cleaned %v", text, got, cleaned)
		}
	}
	for _, text := range values {
		for _, hidden := range hiddenIn(text) {
			if clean, _, refused := CleanTexts(json.RawMessage(hidden)); refused == nil || clean != nil {
				t.Errorf("%s becomes %s", hidden, clean)
			}
		}
	}
	mixed := strings.ReplaceAll(`{"title":"@","n":9007199254740993.0,"enum":["@"]}`, spot, "\u2063")
	if _, _, refused := CleanTexts(json.RawMessage(mixed)); refused == nil || refused.Pointer != "/enum/0" {
		t.Errorf("got %v", refused)
	}
}

func FuzzCleanTexts(f *testing.F) {
	for _, schemas := range []map[string]string{readers, values} {
		for _, text := range schemas {
			f.Add(hiddenIn(text)[0])
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean, cleaned, refused := CleanTexts(json.RawMessage(text))
		if refused != nil {
			return
		}
		if violation := CheckTexts(clean); violation != nil {
			t.Fatalf("%q becomes %q, with %v", text, clean, violation)
		}
		if len(cleaned) > 0 && !json.Valid(clean) {
			t.Fatalf("%q becomes %q", text, clean)
		}
	})
}
