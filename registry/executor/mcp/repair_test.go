package mcp

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
)

// Definitions that other servers really send are used without the parts that are invalid here, and
// the log names these parts.
func TestInvalidPartsOfSchemasAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ definition, want, logged string }{
		{
			`{"name":"a","inputSchema":{"type":"object","properties":{"to":{"type":"string","format":"email","pattern":"^(?!\\.)(?!.*\\.\\.)[a-z.]+@[a-z.]+$"}}}}`,
			`{"type":"object","properties":{"to":{"type":"string","format":"email","description":"Must match the regular expression ^(?!\\.)(?!.*\\.\\.)[a-z.]+@[a-z.]+$"}}}`,
			"the tool a: parts of its inputSchema are left out",
		},
		{`{"name":"a","title":null,"description":null,"annotations":null,"inputSchema":{"type":"object","properties":{"a":{"type":"string","enum":null}},"additionalProperties":null,"required":null},"outputSchema":null}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, "additionalProperties: is null"},
		{`{"name":"a","inputSchema":null}`, `{"type":"object"}`, "inputSchema"},
		{`{"name":"a","inputSchema":{}}`, `{"type":"object"}`, "inputSchema"},
		{`{"name":"a"}`, `{"type":"object"}`, ""},
		{`{"name":"a","inputSchema":[]}`, `{"type":"object"}`, "inputSchema"},
		{`{"name":"a","inputSchema":{"type":"object","properties":[]}}`, `{"type":"object"}`, "properties"},
		{`{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":null}}`, `{"type":"object"}`, "parts of its outputSchema are left out"},
	} {
		found, log := listed(t, tt.definition)
		if len(found) != 1 || string(found[0].Spec.Parameters) != tt.want {
			t.Errorf("%s: got %d tools, %+v", tt.definition, len(found), found)
			continue
		}
		if (tt.logged == "") != (log == "") || !strings.Contains(log, tt.logged) {
			t.Errorf("%s is logged as %s", tt.definition, log)
		}
		if _, err := jsonschema.CompileParameters(found[0].Spec.Parameters); err != nil {
			t.Error(err)
		}
		if result := found[0].Spec.Result; result != nil && string(result) != `{"type":"object"}` {
			t.Errorf("%s: the outputSchema is %s", tt.definition, result)
		}
	}
}

// A title in the annotations, where older revisions have it, is shown unless the tool has a title.
func TestTitleInAnnotationsIsShown(t *testing.T) {
	t.Parallel()
	for definition, want := range map[string]string{
		`{"name":"a","inputSchema":{"type":"object"},"annotations":{"title":"Old"}}`:               "Old",
		`{"name":"a","inputSchema":{"type":"object"},"title":"New","annotations":{"title":"Old"}}`: "New",
		`{"name":"a","inputSchema":{"type":"object"},"title":null,"annotations":{"title":"O\nd"}}`: `O\nd`,
		`{"name":"a","inputSchema":{"type":"object"},"annotations":{"title":7}}`:                   "",
		`{"name":"a","inputSchema":{"type":"object"},"annotations":[]}`:                            "",
	} {
		found, log := listed(t, definition)
		if len(found) != 1 || found[0].Spec.Title != want {
			t.Errorf("%s: got %+v, %s", definition, found, log)
		}
	}
}

// A tool that can only be called as a task is left out, because plain calls of it fail.
func TestTaskToolIsLeftOut(t *testing.T) {
	t.Parallel()
	for execution, want := range map[string]int{
		`{"taskSupport":"required"}`: 0, `{"taskSupport":"optional"}`: 1, `{"taskSupport":"forbidden"}`: 1, `null`: 1, `7`: 1,
	} {
		found, log := listed(t, `{"name":"a","inputSchema":{"type":"object"},"execution":`+execution+`}`)
		if len(found) != want || strings.Contains(log, "the tool a is left out: it can only be called as a task") != (want == 0) {
			t.Errorf("%s: got %d tools, %s", execution, len(found), log)
		}
	}
}

// Each tool with a problem is reported. If there are too many, only their number is reported.
func TestAllProblemsAreReported(t *testing.T) {
	t.Parallel()
	definitions := make([]string, maxProblems+7)
	for i := range definitions {
		definitions[i] = fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object","required":null}}`, i)
	}
	found, log := listed(t, definitions...)
	if len(found) != len(definitions) || strings.Count(log, "\n") != maxProblems+1 || !strings.Contains(log, "its list has 7 more problems") {
		t.Errorf("got %d tools, %d lines: %.300s", len(found), strings.Count(log, "\n"), log)
	}
}

// A server that lists its tools again has only its new problems in the log.
func TestProblemsAreReportedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const first, second = `{"name":"a","inputSchema":{"type":"object","required":null}}`, `{"name":"b","inputSchema":{"type":"object","required":null}}`
		var log bytes.Buffer
		program := newScripted(map[string]string{"tools/list": tools(first)})
		s := newServer(Options{Name: "calc", Command: []string{"calc"}, Logger: slog.New(slog.NewTextHandler(&log, nil))}, opens(program.run))
		if _, err := s.Tools(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, definitions := range [][]string{{first}, {first, second}, {second}} {
			program.set("tools/list", tools(definitions...))
			program.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			time.Sleep(2 * relistPause) // this uses the fake clock of synctest
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if got := log.String(); strings.Count(got, "the tool a") != 1 || strings.Count(got, "the tool b") != 1 {
			t.Errorf("the log is %s", got)
		}
	})
}
