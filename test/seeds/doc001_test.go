package seeds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// output is the result of the native tools of the document.
type output struct {
	Result string `json:"result"`
}

// load adds the tools of a directory in testdata.
func load(path string) func(*standard.Options) {
	return func(o *standard.Options) {
		o.Sources.Directories = append(o.Sources.Directories, filepath.Join("testdata", filepath.FromSlash(path)))
	}
}

func TestDocument001Interfaces(t *testing.T) {
	t.Parallel()
	t.Run("ToolService and ToolRegistry: register, get, list, validate, execute, remove", func(t *testing.T) {
		w := open(t, "", bare)
		spec, executor, err := native.Define(named("my-tool"), echo)
		if err != nil {
			t.Fatal(err)
		}
		if err := catalogue.ValidateSpec(spec); err != nil {
			t.Error(err)
		}
		w.add(t, spec, executor, nil)
		if _, err := w.Tools().Get("my-tool"); err != nil {
			t.Error(err)
		}
		wantJSON(t, w.Tools().List(catalogue.Filter{}), `[{"name": "my-tool"}]`)
		if _, _, err := w.Validate("my-tool", json.RawMessage(`{"input": "x"}`)); err != nil {
			t.Error(err)
		}
		wantText(t, w.run(t, "my-tool", `{"input": "x"}`).Text(), "x")
		if existed, err := w.Tools().Unregister("my-tool"); !existed || err != nil {
			t.Errorf("got %v, %v", existed, err)
		}
		w.fail(t, "my-tool", `{"input": "x"}`, tool.CodeNotFound)
	})
	t.Run("BaseToolExecutor: doExecute, shouldRetry, getRetryDelay, validateParameters", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := registry.New(registry.Options{})
			defer r.Close()
			e := &custom{}
			if err := r.Tools().Register(tool.Spec{Name: "custom", Description: "A tool with an executor of its own.", Parameters: json.RawMessage(`{"type": "object", "properties": {"even": {"type": "integer"}}}`)}, e); err != nil {
				t.Fatal(err)
			}
			_, err := r.Execute(t.Context(), tool.Call{Tool: "custom", Arguments: json.RawMessage(`{"even": 3}`), Retries: 3})
			if wantCode(t, err, tool.CodeInvalidArgument); len(e.times) != 1 {
				t.Errorf("tried %d times", len(e.times))
			}
			began := time.Now()
			result, err := r.Execute(t.Context(), tool.Call{Tool: "custom", Arguments: json.RawMessage(`{"even": 2}`), Retries: 3})
			if err != nil || result.Call.Attempts != 2 || time.Since(began) < time.Second {
				t.Errorf("tried %d times in %s, %v", result.Call.Attempts, time.Since(began), err)
			}
		})
	})
}

// custom is an executor that fails once, and that checks more than a schema can express.
type custom struct{ times []time.Time }

func (*custom) Prepare(context.Context) error { return nil }
func (*custom) Close() error                  { return nil }

func (e *custom) Execute(_ context.Context, call tool.Invocation) (tool.Result, error) {
	e.times = append(e.times, time.Now())
	if n, _ := call.Text("even"); n != "2" {
		return tool.Result{}, tool.Errorf(tool.CodeInvalidArgument, "even: %s is odd", n)
	}
	if call.Attempt == 1 {
		return tool.Result{}, tool.Errorf(tool.CodeServer, "try again")
	}
	return tool.TextResult("done", nil)
}

func (*custom) Retry(failure *tool.Error, attempt int) (again bool, wait time.Duration) {
	return failure.Code == tool.CodeServer, time.Duration(attempt) * time.Second
}

// restFile grants the requests of the tools that send requests.
const restFile = `
secrets.API_TOKEN.env = "API_TOKEN"
grants.allow = ["net:https://api.example.com/", "secret:API_TOKEN"]
`

func TestDocument001Executors(t *testing.T) {
	t.Parallel()
	t.Run("BuiltinToolExecutor", func(t *testing.T) {
		h := host(t, "", nil)
		for _, row := range []struct{ tool, arguments, output string }{
			{"calculator", `{"expression": "2 * (3 + 4)"}`, "14"},
			{"datetime", `{"operation": "convert", "time": "2026-01-31T15:04:05Z"}`, "2026-01-31T15:04:05Z"},
			{"string", `{"operation": "upper", "text": "abc"}`, "ABC"},
			{"array", `{"operation": "sort", "items": [3, 1, 2]}`, "[1, 2, 3]"},
			{"object", `{"operation": "get", "object": {"a": {"b": 1}}, "path": "a.b"}`, "1"},
		} {
			if got := h.call(t, row.tool, row.arguments); !got.Success || !strings.HasPrefix(got.Result.Output, row.output+"\n") && got.Result.Output != row.output {
				t.Errorf("%s: got %+v, want %s", row.tool, got, row.output)
			}
		}
	})
	t.Run("NativeToolExecutor: my-native-tool", func(t *testing.T) {
		w := open(t, "", bare)
		spec, executor, err := native.Define(named("my-native-tool"), func(context.Context, in) (output, error) { return output{"success"}, nil })
		w.add(t, spec, executor, err)
		wantJSON(t, w.run(t, "my-native-tool", `{"input": "x"}`).Details(), `{"details": {"result": "success"}}`)
		wantJSON(t, w.Tools().List(catalogue.Filter{}), `[{"name": "my-native-tool", "source": "go", "sandboxed": false}]`)
	})
	// The server repeats what it got. The host replaces the secret in the response.
	t.Run("RestToolExecutor: GET, POST, PUT and DELETE", func(t *testing.T) {
		w := open(t, restFile, load("001/rest-api"), serve(t, func(rw http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			rw.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(rw).Encode([]string{r.Method, r.URL.Path, r.Header.Get("Authorization"), string(body)})
		}), bare)
		w.answer.Yes = true
		for _, row := range []struct{ arguments, want string }{
			{`{"url": "/users/7", "method": "GET"}`, `["GET", "/users/7", "Bearer [secret:API_TOKEN]", ""]`},
			{`{"url": "https://api.example.com/users", "method": "POST", "body": {"name": "Ann"}}`, `["POST", "/users", "Bearer [secret:API_TOKEN]", "{\"name\":\"Ann\"}"]`},
			{`{"url": "/users/7", "method": "PUT", "body": {}}`, `["PUT", "/users/7", "Bearer [secret:API_TOKEN]", "{}"]`},
			{`{"url": "/users/7", "method": "DELETE"}`, `["DELETE", "/users/7", "Bearer [secret:API_TOKEN]", ""]`},
		} {
			wantJSON(t, w.run(t, "rest-api", row.arguments).Details(), `{"details": `+row.want+`}`)
		}
		w.fail(t, "rest-api", `{"url": "https://other.example.com/", "method": "GET"}`, tool.CodePermissionDenied)
	})
	t.Run("RestToolExecutor: the definition as it is written gets answers", func(t *testing.T) {
		_, err := manifests.Decode("tool.toml", []byte("id = \"rest-api\"\nname = \"rest-api\"\ntype = \"REST\"\n[metadata]\nbaseUrl = \"https://api.example.com\"\n"))
		wantText(t, fmt.Sprint(err), "id: unknown key; the machine name is called name here", "type: unknown key; a tool has no type here", "metadata: unknown key; leave it out; the settings of a request are written in [rest]")
	})
	t.Run("MCPToolExecutor: with a manifest and without", func(t *testing.T) {
		w := open(t, fmt.Sprintf("[servers.mcp-server]\nurl = %q\n", serveMCP(t)), load("001/mcp-tool"), bare, func(o *standard.Options) { o.Sources.Servers = []string{"mcp-server"} })
		w.answer.Yes = true
		wantJSON(t, w.Tools().List(catalogue.Filter{}), `[
			{"name": "mcp-tool", "server": "mcp-server", "description": "MCP tool",
				"parameters": {"type": "object", "properties": {"param1": {"type": "string"}}, "required": ["param1"]}},
			{"name": "mcp__mcp-server__tool-name", "server": "mcp-server", "description": "MCP tool"}]`)
		for _, name := range []string{"mcp-tool", "mcp__mcp-server__tool-name"} {
			wantText(t, w.run(t, name, `{"param1": "x"}`).Text(), "got x")
		}
	})
}

func TestDocument001Validation(t *testing.T) {
	t.Parallel()
	w := open(t, "", bare)
	o := named("book")
	o.Spec.Parameters = json.RawMessage(`{"type": "object", "required": ["day"], "properties": {
		"day": {"type": "string", "format": "date"}, "class": {"enum": ["first", "second"]}, "seats": {"type": "integer"}}}`)
	spec, executor, err := native.Define(o, func(context.Context, map[string]any) (string, error) { return "booked", nil })
	w.add(t, spec, executor, err)
	wantText(t, w.run(t, "book", `{"day": "2026-01-31", "class": "first", "seats": 2}`).Text(), "booked")
	for _, row := range []struct{ name, arguments, pointer, kind string }{
		{"the parameters are an object", `[1]`, "", tool.ViolationType},
		{"a required parameter is missing", `{}`, "/day", tool.ViolationMissing},
		{"wrong type", `{"day": "2026-01-31", "seats": "many"}`, "/seats", tool.ViolationType},
		{"wrong format", `{"day": "tomorrow"}`, "/day", tool.ViolationFormat},
		{"constraint", `{"day": "2026-01-31", "class": "third"}`, "/class", tool.ViolationConstraint},
	} {
		t.Run("ValidationError: "+row.name, func(t *testing.T) {
			e := w.fail(t, "book", row.arguments, tool.CodeInvalidArgument)
			if v := e.Details.Violations; len(v) != 1 || v[0].Pointer != row.pointer || v[0].Kind != row.kind {
				t.Errorf("got %+v", v)
			}
		})
	}
}

// Errors are translated to the same codes for all kinds of tools. Only failures that may pass are
// retried.
func TestDocument001Errors(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	w := open(t, restFile, load("001/status"), serve(t, func(rw http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		status, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
		http.Error(rw, "the server says why", status)
	}), bare)
	w.answer.Yes = true
	for _, row := range []struct {
		status  int
		name    string
		retried bool
	}{
		{400, "ToolExecutionError", false},
		{401, "AuthenticationError", false},
		{403, "PermissionDeniedError", false},
		{404, "ToolExecutionError", false},
		{408, "ServerError", true},
		{429, "RateLimitError", true},
		{500, "ServerError", true},
		{503, "ServerError", true},
	} {
		t.Run(fmt.Sprintf("HTTP status %d is %s", row.status, row.name), func(t *testing.T) {
			requests.Store(0)
			_, err := w.Execute(t.Context(), tool.Call{Tool: "status", Arguments: json.RawMessage(fmt.Sprintf(`{"status": %d}`, row.status)), Retries: 1, RetryDelay: time.Nanosecond})
			e, _ := errors.AsType[*tool.Error](err)
			if e == nil || e.Code.Name() != row.name || (requests.Load() == 2) != row.retried {
				t.Fatalf("got %v after %d requests", err, requests.Load())
			}
			if e.Details.Status != row.status || !strings.Contains(e.Details.Response, "says why") {
				t.Errorf("the original is lost: %+v", e.Details)
			}
		})
	}
	for code, name := range map[tool.Code]string{
		tool.CodeNetwork: "NetworkError", tool.CodeTimeout: "TimeoutError", tool.CodeInvalidArgument: "InvalidArgumentError",
		tool.CodeAuthentication: "AuthenticationError", tool.CodeRateLimited: "RateLimitError", tool.CodeServer: "ServerError", tool.CodeExecution: "ToolExecutionError",
	} {
		t.Run("error types: "+name, func(t *testing.T) {
			spec, executor, err := native.Define(named(string(code)), func(context.Context, in) (string, error) {
				return "", tool.Errorf(code, "it failed").WithCause(errors.New("the original"))
			})
			w.add(t, spec, executor, err)
			e := w.fail(t, string(code), `{"input": "x"}`, code)
			if e.Code.Name() != name || e.Unwrap().Error() != "the original" {
				t.Errorf("got %s, caused by %v", e.Code.Name(), e.Unwrap())
			}
		})
	}
}

func TestDocument001Integration(t *testing.T) {
	t.Parallel()
	t.Run("Execution: concurrent calls", func(t *testing.T) {
		w := open(t, "[tools.meet]\nread_only = true\n", bare)
		both := make(chan bool)
		spec, executor, err := native.Define(named("meet"), func(ctx context.Context, arguments in) (string, error) {
			select { // a call can only end together with the other one
			case both <- true:
			case <-both:
			case <-ctx.Done():
			}
			return arguments.Input, ctx.Err()
		})
		w.add(t, spec, executor, err)
		outcomes := w.ExecuteAll(t.Context(), []tool.Call{
			{Tool: "meet", Arguments: json.RawMessage(`{"input": "first"}`)}, {Tool: "meet", Arguments: json.RawMessage(`{"input": "second"}`)},
		})
		for n, want := range []string{"first", "second"} {
			if o := outcomes[n]; o.Err != nil || o.Result.Text() != want {
				t.Errorf("got %q, %v, want %q", o.Result.Text(), o.Err, want)
			}
		}
	})
	t.Run("State: variables and history", func(t *testing.T) {
		w := open(t, "", bare, func(o *standard.Options) {
			o.Registry.Variables = func(_ context.Context, _ tool.Call, name string) (string, bool) { return "Ann", name == "user" }
		})
		spec, executor, err := native.Define(named("echo"), echo)
		w.add(t, spec, executor, err)
		wantText(t, w.run(t, "echo", `{"input": "${user}"}`).Text(), "Ann")
		w.fail(t, "echo", `{"input": "${usr}"}`, tool.CodeInvalidArgument)
		result, err := w.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"input": "Hello ${user}!"}`), Interpolate: true})
		if err != nil || result.Text() != "Hello Ann!" {
			t.Errorf("got %q, %v", result.Text(), err)
		}
		wantJSON(t, w.Calls().History("", "", 0), `[{"parameters": {"input": "Hello Ann!"}}, {"code": "invalid_argument"}, {"tool": "echo", "parameters": {"input": "Ann"}}]`)
	})
	t.Run("Events: started, completed, failed", func(t *testing.T) {
		w := open(t, "", bare)
		spec, executor, err := native.Define(named("echo"), echo)
		w.add(t, spec, executor, err)
		events := w.Calls().Subscribe(ledger.EventFilter{})
		w.run(t, "echo", `{"input": "x"}`)
		w.fail(t, "echo", `{}`, tool.CodeInvalidArgument)
		events.Close()
		var kinds []ledger.EventKind
		for e := range events.Events() {
			kinds = append(kinds, e.Kind)
		}
		if want := []ledger.EventKind{ledger.EventStarted, ledger.EventCompleted, ledger.EventStarted, ledger.EventFailed}; !slices.Equal(kinds, want) {
			t.Errorf("the events are %q", kinds)
		}
	})
}

// The example fails twice here before it succeeds, to show the waits between the attempts.
func TestDocument001Usage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tools := registry.New(registry.Options{})
		defer tools.Close()
		var attempts []time.Time
		o := native.Options{Spec: tool.Spec{Name: "my-tool", Description: "My custom tool", Retry: true}}
		spec, executor, err := native.Define(o, func(_ context.Context, params in) (output, error) {
			if attempts = append(attempts, time.Now()); len(attempts) < 3 {
				return output{}, tool.Errorf(tool.CodeNetwork, "not reachable")
			}
			return output{"processed: " + params.Input}, nil
		})
		if err == nil {
			err = tools.Tools().Register(spec, executor)
		}
		if err != nil {
			t.Fatal(err)
		}
		result, err := tools.Execute(t.Context(), tool.Call{
			Tool: "my-tool", Arguments: json.RawMessage(`{"input": "test"}`),
			Timeout: 5000 * time.Millisecond, Retries: 3, RetryDelay: 1000 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, result.Details(), `{"details": {"result": "processed: test"}}`)
		// Half of each wait is random.
		for n, delay := range []time.Duration{time.Second, 2 * time.Second} {
			if wait := attempts[n+1].Sub(attempts[n]); wait < delay/2 || wait > delay {
				t.Errorf("wait %d is %s", n+1, wait)
			}
		}
	})
}
