package definition

import (
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// checkTexts refuses a spec with an invisible character in a string that a model or a person reads.
// It does not check the schemas, and it does not check Source, which may be a path. Code that
// prints Source must escape it.
func checkTexts(spec tool.Spec) error {
	type text struct {
		field, text string
		form        plaintext.Form
	}
	all := []text{
		{"title", spec.Title, plaintext.Line},
		{"icon", spec.Icon, plaintext.Line},
		{"version", spec.Version, plaintext.Word},
		{"description", spec.Description, plaintext.Lines},
		{"category", spec.Category, plaintext.Line},
		{"confirm", spec.Confirm, plaintext.Lines},
	}
	for _, tag := range spec.Tags {
		all = append(all, text{"tags", tag, plaintext.Line})
	}
	for _, s := range spec.Settings {
		all = append(all, text{"settings", s.Name, plaintext.Word},
			text{"settings", s.Description, plaintext.Lines},
			text{"settings", s.Value, plaintext.Line})
		for _, value := range s.Values {
			all = append(all, text{"settings", value, plaintext.Line})
		}
	}
	for _, example := range spec.Examples {
		all = append(all, text{"examples", example.Title, plaintext.Line})
	}
	for _, t := range all {
		if found, bad := plaintext.First(t.text, t.form); bad {
			return FieldError(spec.Name, t.field, "%s: contains %s; leave it out", t.field, found)
		}
	}
	for i, example := range spec.Examples {
		if invisible := jsonschema.CheckTexts(example.Arguments); invisible != nil {
			return FieldError(spec.Name, "examples", "examples: the arguments of example %d: %s; leave it out", i+1, invisible)
		}
	}
	return nil
}
