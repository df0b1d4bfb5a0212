package tools_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/wasmtool/wasmtool/guest/tools"
)

func TestResultOfTheHost(t *testing.T) {
	var r tools.Result
	text := `{"content":[{"type":"text","text":"a"},{"type":"image","data":"R0lG","mimeType":"image/gif"},{"type":"text","text":"b"}],"structured":{"n":1},"is_error":false,"title":"A title"}`
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if r.Text() != "a\nb" || len(r.Content) != 3 || string(r.Content[1].Data) != "GIF" || string(r.Structured) != `{"n":1}` {
		t.Errorf("got %+v", r)
	}
}

func TestCallOutsideOfWasmtool(t *testing.T) {
	var refused *tools.HostError
	if _, err := tools.Call("grep", map[string]string{"pattern": "x"}); !errors.As(err, &refused) || refused.Kind != "denied" {
		t.Errorf("got %v", err)
	}
	if _, err := tools.Call("grep", func() {}); err == nil || errors.As(err, &refused) {
		t.Errorf("arguments that are not JSON give %v", err)
	}
}
