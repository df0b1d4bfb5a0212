package standard

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A model gets the beginning and the end of a long text. It can read the rest of the text, and it
// can pass the whole text to another tool without having read it.
func TestLongTextsAreCutReadOnAndHandedOn(t *testing.T) {
	const maxText = 600
	tools, err := New(Options{
		Sources:  Sources{NoBuiltins: true},
		NoCache:  true,
		StateDir: t.TempDir(),
		Registry: registry.Options{Calls: ledger.Options{MaxText: maxText}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	whole := strings.Repeat("ein grün-blauer Satz 🎉\n", 500)
	got := ""
	for name, fn := range map[string]func(context.Context, string) (string, error){
		"story": func(context.Context, string) (string, error) { return whole, nil },
		"save":  func(_ context.Context, text string) (string, error) { got = text; return "saved", nil },
	} {
		spec, executor, err := native.Text(name, "Test.", fn)
		if err != nil {
			t.Fatal(err)
		}
		if err := tools.Tools().Register(spec, executor); err != nil {
			t.Fatal(err)
		}
	}
	execute := func(name string, arguments any) (tool.Result, error) {
		raw, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		return tools.Execute(context.Background(), tool.Call{Tool: name, Tenant: "t", Session: "s", Arguments: raw})
	}

	result, err := execute("story", map[string]any{"text": "tell"})
	if err != nil {
		t.Fatal(err)
	}
	text := result.Text()
	handles := result.Metadata[tool.MetaHandles].([]string)
	omitted := result.Metadata[tool.MetaOmittedBytes].(int)
	if result.Metadata[tool.MetaTruncated] != true || len(handles) != 1 || !utf8.ValidString(text) || len(text) > 2*maxText ||
		!strings.Contains(text, fmt.Sprintf("%d of %d bytes", omitted, len(whole))) || !strings.Contains(text, handles[0]) {
		t.Fatalf("got %q with %v", text, result.Metadata)
	}

	read, pages := "", 0
	for next := 0; next < len(whole); pages++ {
		page, err := execute(ReadResultTool, map[string]any{"handle": handles[0], "offset": next})
		if err != nil {
			t.Fatal(err)
		}
		var at struct{ Offset, Next, Total int }
		if err := json.Unmarshal(page.Structured, &at); err != nil || at.Offset != next || at.Next <= next || at.Total != len(whole) || page.Metadata[tool.MetaTruncated] != nil {
			t.Fatalf("at %d: got %s, %v, %v", next, page.Structured, page.Metadata, err)
		}
		read += page.Content[0].Text
		next = at.Next
	}
	if read != whole {
		t.Errorf("%d pages are not the whole text", pages)
	}

	if _, err := execute("save", map[string]any{"text": "${" + handles[0] + "}"}); err != nil || got != whole {
		t.Errorf("the next tool got %d of %d bytes, %v", len(got), len(whole), err)
	}
	other := tool.Call{Tool: ReadResultTool, Tenant: "t", Session: "other", Arguments: json.RawMessage(`{"handle":"` + handles[0] + `"}`)}
	if _, err := tools.Execute(context.Background(), other); tool.CodeOf(err) != tool.CodeNotFound {
		t.Errorf("another session gets %v", err)
	}
}
