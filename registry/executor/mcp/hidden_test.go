package mcp

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// listed returns the tools of a server with the given definitions, and the log.
func listed(t *testing.T, definitions ...string) ([]tool.Sourced, string) {
	t.Helper()
	var log bytes.Buffer
	program := newScripted(map[string]string{"tools/list": tools(definitions...)})
	s := newServer(Options{Name: "calc", Command: []string{"calc"}, Logger: slog.New(slog.NewTextHandler(&log, nil))}, opens(program.run))
	found, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return found, log.String()
}

// A hidden character in a definition is replaced with an escape, or the whole tool is left out. The
// log says where the character was.
func TestHiddenCharactersAreEscapedOrLeaveToolOut(t *testing.T) {
	t.Parallel()
	const escaped, leftOut = `u200b`, "is left out"
	for _, tt := range []struct{ definition, does, at string }{
		{`{"name":"a","title":"T@","inputSchema":{"type":"object"}}`, escaped, "title"},
		{`{"name":"a","description":"D@","inputSchema":{"type":"object"}}`, escaped, "description"},
		{`{"name":"a","inputSchema":{"type":"object","title":"@"}}`, escaped, "/title"},
		{`{"name":"a","inputSchema":{"type":"object","properties":{"p":{"description":"@"}}}}`, escaped, "/properties/p/description"},
		{`{"name":"a","inputSchema":{"type":"object","properties":{"p":{"examples":["@"]}}}}`, escaped, "/properties/p/examples/0"},
		{`{"name":"a","inputSchema":{"type":"object","$comment":"@"}}`, escaped, "/$comment"},
		{`{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"object","description":"@"}}`, escaped, "outputSchema /description"},
		{`{"name":"a@","inputSchema":{"type":"object"}}`, leftOut, "name"},
		{`{"name":"a","inputSchema":{"type":"object","properties":{"p@":{}}}}`, leftOut, "/properties/p"},
		{`{"name":"a","inputSchema":{"type":"object","required":["p@"]}}`, leftOut, "/required/0"},
		{`{"name":"a","inputSchema":{"type":"object","properties":{"p":{"enum":["@"]}}}}`, leftOut, "/properties/p/enum/0"},
		{`{"name":"a","inputSchema":{"type":"object","properties":{"p":{"const":"@"}}}}`, leftOut, "/properties/p/const"},
		{`{"name":"a","inputSchema":{"type":"object","properties":{"p":{"default":"@"}}}}`, leftOut, "/properties/p/default"},
		{`{"name":"a","inputSchema":{"type":"object","properties":{"p":{"pattern":"@"}}}}`, leftOut, "/properties/p/pattern"},
		{`{"name":"a","inputSchema":{"type":"object","properties":{"p":{"format":"@"}}}}`, leftOut, "/properties/p/format"},
		{`{"name":"a","inputSchema":{"type":"object","x-for-models":"@"}}`, leftOut, "/x-for-models"},
		{`{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"enum":["@"]}}`, leftOut, "outputSchema /enum/0"},
	} {
		found, log := listed(t, strings.ReplaceAll(tt.definition, "@", `\u200b`), addTool)
		if !strings.Contains(log, "level=WARN") || !strings.Contains(log, tt.at) || !strings.Contains(log, "U+200B") ||
			strings.Contains(log, leftOut) != (tt.does == leftOut) || !plaintext.Plain(log, plaintext.Lines) {
			t.Errorf("%s\nis logged as %s", tt.definition, log)
		}
		if want := 1; tt.does == leftOut && len(found) != want || tt.does != leftOut && len(found) != want+1 {
			t.Errorf("%s: got %d tools", tt.definition, len(found))
		}
		for _, f := range found {
			s := f.Spec
			for _, shown := range []string{s.Title, s.Description} {
				if !plaintext.Plain(shown, plaintext.Lines) {
					t.Errorf("%s: got %+q", tt.definition, shown)
				}
			}
			if jsonschema.CheckTexts(s.Parameters) != nil || jsonschema.CheckTexts(s.Result) != nil {
				t.Errorf("%s: got %s and %s", tt.definition, s.Parameters, s.Result)
			}
		}
	}
	// Cutting a long title must not leave a joiner at its end, because a registry would refuse the
	// tool.
	found, log := listed(t, `{"name":"a","title":"`+strings.Repeat("👩🏽‍🚀", 100)+`","inputSchema":{"type":"object"}}`, addTool)
	if len(found) != 2 || log != "" || !plaintext.Plain(found[0].Spec.Title, plaintext.Line) {
		t.Errorf("got %d tools, %s", len(found), log)
	}
}
