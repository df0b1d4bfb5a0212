package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry/otlp"
	"github.com/wasmtool/wasmtool/runtime"
)

var compiler []string

func TestMain(m *testing.M) {
	compiler = runtime.SelfCompiler()
	os.Exit(guesttest.RunWithDir(m, guesttest.OwnUserCache))
}

// model is a server of a model that requests one call, and then reports the result of the call.
func model(w http.ResponseWriter, r *http.Request) {
	var body strings.Builder
	_ = r.Write(&body)
	delta := `{"role":"assistant","tool_calls":[{"index":0,"id":"id-1","type":"function","function":{"name":"%s","arguments":%q}}]}`
	switch request := body.String(); {
	case strings.Contains(request, `"role":"tool"`):
		delta = `{"role":"assistant","content":"reported"}`
		if strings.Contains(request, "secret of blue") {
			delta = `{"role":"assistant","content":"secret of blue"}`
		}
		if strings.Contains(request, "team red") {
			delta = `{"role":"assistant","content":"team red"}`
		}
	case strings.Contains(request, "Which team"):
		delta = fmt.Sprintf(delta, "team", `{}`)
	case strings.Contains(request, "Write a note"):
		delta = fmt.Sprintf(delta, "write", `{"file_path":"note.txt","content":"done"}`)
	default:
		delta = fmt.Sprintf(delta, "grep", `{"pattern":"secret","path":"."}`)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":%s,"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n", delta)
}

// Each tenant's tasks reach only its own directory, and each call has a span.
func TestTenantsHaveTheirOwnDirectories(t *testing.T) {
	testlevel.Long(t, "it compiles a module")
	t.Chdir(t.TempDir())
	for _, tenant := range tenants {
		if err := os.MkdirAll(filepath.Join("data", tenant), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join("data", "blue", "plan.txt"), []byte("secret of blue"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(model))
	defer server.Close()
	bodies := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
	}))
	defer collector.Close()
	spans, err := otlp.New(otlp.Options{URL: collector.URL})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := newHandler(compiler, server.URL+"/v1", spans)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		token, task, want string
		status            int
	}{
		{"Bearer token of red", "Find it", "reported", http.StatusOK},
		{"Bearer token of blue", "Find it", "secret of blue", http.StatusOK},
		{"Bearer token of red", "Write a note", "reported", http.StatusOK},
		{"Bearer token of red", "Which team is it?", "team red", http.StatusOK},
		{"Bearer token", "Find it", "send a token", http.StatusForbidden},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(tt.task))
		r.Header.Set("Authorization", tt.token)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != tt.status || !strings.HasPrefix(w.Body.String(), tt.want) {
			t.Errorf("%s, %s: got %d %q, want %d %q", tt.token, tt.task, w.Code, w.Body, tt.status, tt.want)
		}
	}
	if note, err := os.ReadFile(filepath.Join("data", "red", "note.txt")); string(note) != "done" {
		t.Errorf("the approved call wrote %q, %v", note, err)
	}
	spans.Close(t.Context())
	close(bodies)
	traces := ""
	for body := range bodies {
		traces += body
	}
	if got := strings.Count(traces, `"name":"execute_tool `); got != 4 {
		t.Errorf("%d spans, want 4:\n%s", got, traces)
	}
}

// docs/agent-server.md shows this program.
func TestTheDocumentShowsTheProgram(t *testing.T) {
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join("..", "..", "docs", "agent-server.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(document), "\n```go\n"+string(program)+"```\n") {
		t.Error("docs/agent-server.md does not have the text of main.go")
	}
}
