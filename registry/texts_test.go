package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// A guest's description of itself may contain text from files that it read. Invisible characters
// are escaped, with a warning, in descriptions, and refused in names and values. For a tool in Go,
// they are always refused.
func TestInvisibleCharactersInDescriptions(t *testing.T) {
	parameters := func(text string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":{"a":{` + text + `}}}`)
	}
	for _, tt := range []struct {
		said    tool.Definition
		refused bool
	}{
		{said: tool.Definition{Description: "Skills:\n\tcook\u200b."}},
		{said: tool.Definition{Parameters: parameters("\"description\":\"b\u200b\"")}},
		{said: tool.Definition{Parameters: parameters(`"title":"b\u200B"`)}},
		{said: tool.Definition{Parameters: parameters("\"enum\":[\"b\u200b\"]")}, refused: true},
		{said: tool.Definition{Parameters: parameters(`"pattern":"\u200b"`)}, refused: true},
		{said: tool.Definition{Result: parameters(`"const":"\u200b"`)}, refused: true},
	} {
		for _, sandboxed := range []bool{true, false} {
			var log bytes.Buffer
			r := New(Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			spec := tool.Spec{Name: "skill", Description: "Static.", Sandboxed: sandboxed}
			err := r.Tools().Register(spec, &describing{describe: func(context.Context) (tool.Definition, error) { return tt.said, nil }})
			if err != nil {
				t.Fatal(err)
			}
			err = r.Tools().Describe(t.Context())
			got, _ := r.Tools().Get("skill")
			if tt.refused || !sandboxed {
				if err == nil || !strings.Contains(err.Error(), "U+200B") || got.Description != "Static." {
					t.Errorf("%s %s, sandboxed %v: got %q, %v", tt.said.Description, tt.said.Parameters, sandboxed, got.Description, err)
				}
				wantCode(t, err, tool.CodeInvalidManifest)
				continue
			}
			if text := got.Description + string(got.Parameters); err != nil || !strings.Contains(text, `\u200b`) || strings.Contains(text, "\u200b") {
				t.Errorf("got %q, %s, %v", got.Description, got.Parameters, err)
			}
			if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "U+200B") {
				t.Errorf("the log is %s", log.String())
			}
		}
	}
}
