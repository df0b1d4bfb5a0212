package tool_test

import (
	"encoding/json"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestResultIsObject(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{}}`: true,
		`{"type":"array"}`:                  false,
		`{"type":["object","null"]}`:        false,
		`{"Type":"object"}`:                 false,
		`{}`:                                false,
		`true`:                              false,
		`{"type":"object"`:                  false,
		``:                                  false,
	} {
		if got := (tool.Spec{Result: json.RawMessage(schema)}).ResultIsObject(); got != want {
			t.Errorf("%s: got %v", schema, got)
		}
	}
}
