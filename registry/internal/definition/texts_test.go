package definition_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/internal/definition"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Compile refuses an invisible character in each text of a spec.
func TestCompileChecksEveryText(t *testing.T) {
	object := func(text string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":{"a":{"description":"` + text + `"}}}`)
	}
	for name, set := range map[string]func(*tool.Spec, string){
		"title":       func(s *tool.Spec, text string) { s.Title = text },
		"version":     func(s *tool.Spec, text string) { s.Version = text },
		"description": func(s *tool.Spec, text string) { s.Description = text },
		"category":    func(s *tool.Spec, text string) { s.Category = text },
		"confirm":     func(s *tool.Spec, text string) { s.Confirm = text },
		"tags":        func(s *tool.Spec, text string) { s.Tags = []string{"a", text} },
		"aliases":     func(s *tool.Spec, text string) { s.Aliases = []string{text} },
		"parameters":  func(s *tool.Spec, text string) { s.Parameters = object(text) },
		"result":      func(s *tool.Spec, text string) { s.Result = object(text) },
		"settings":    func(s *tool.Spec, text string) { s.Settings = []tool.Setting{{Name: "a", Description: text}} },
		"settings of values": func(s *tool.Spec, text string) {
			s.Settings = []tool.Setting{{Name: "a", Description: "b", Values: []string{text}}}
		},
		"settings in use": func(s *tool.Spec, text string) {
			s.Settings = []tool.Setting{{Name: "a", Description: "b", Value: text}}
		},
		"examples": func(s *tool.Spec, text string) { s.Examples = []tool.Example{{Title: text}} },
		"examples with arguments": func(s *tool.Spec, text string) {
			s.Examples = []tool.Example{{Title: "a", Arguments: json.RawMessage(`{"a":"` + text + `"}`)}}
		},
	} {
		for _, text := range []string{"a\u200bb", "a\u202eb", "a\u3164b", "a\ue000b"} {
			spec := tool.Spec{Name: "x", Description: "D."}
			set(&spec, text)
			_, err := definition.Compile(spec, nil)
			var e *tool.Error
			field, _, _ := strings.Cut(name, " ")
			if !errors.As(err, &e) || e.Code != tool.CodeInvalidManifest || e.Details.Field != field || field != "aliases" && !strings.Contains(e.Message, "contains U+") {
				t.Errorf("%s: %+q gives %v", name, text, err)
			}
		}
		if name == "aliases" || name == "version" {
			continue
		}
		spec := tool.Spec{Name: "x", Description: "D."}
		set(&spec, "👩🏽\u200d🚀 می\u200cخواهم ❤️")
		if _, err := definition.Compile(spec, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
