package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// served is a running 'wasmtool serve' process. Its directory has two tools, silent and loop.
type served struct {
	cmd    *exec.Cmd
	stderr *bufio.Reader
	config string // the operator's file
}

func serveCommand(t *testing.T, flags ...string) *served {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals to send to one process")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := &served{config: filepath.Join(dir, "wasmtool.toml")}
	if err := os.WriteFile(s.config, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{
		"silent": nil,
		"loop":   {wasmtest.Loop, wasmtest.Empty, wasmtest.Br, 0, wasmtest.End},
	} {
		module := wasmtest.Module{Types: []wasmtest.FuncType{{}}, Exports: []wasmtest.Export{{Name: "_start"}}, Funcs: []wasmtest.Func{{Body: body}}}
		manifest := "manifest = 1\nname = \"" + name + "\"\nversion = \"1.0.0\"\ndescription = \"For tests.\"\ntimeout = \"1h\"\nmodule.path = \"guest.wasm\"\n"
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		for file, data := range map[string][]byte{"guest.wasm": module.Bytes(), "tool.toml": []byte(manifest)} {
			if err := os.WriteFile(filepath.Join(dir, name, file), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.cmd = exec.Command("wasmtool", append([]string{"serve", "--tools", dir, "--config", s.config, "--cache", "off"}, flags...)...)
	s.cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(dir, "state"))
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stderr = bufio.NewReader(stderr)
	return s
}

// expectLine reads the log until a line with want, and returns the rest of that line.
func (s *served) expectLine(t *testing.T, want string) string {
	t.Helper()
	var before strings.Builder
	for {
		line, err := s.stderr.ReadString('\n')
		if _, rest, ok := strings.Cut(line, want); ok {
			return strings.TrimSpace(rest)
		}
		if before.WriteString(line); err != nil {
			t.Fatalf("standard error has %q (%v), want %q", &before, err, want)
		}
	}
}

func (s *served) signal(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// A client starts the command, lists and calls tools, is notified of a change of the operator's
// file, and ends the command.
func TestServeStdio(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		s := serveCommand(t)
		changed := make(chan struct{}, 10)
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
		})
		session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: s.cmd}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
		if err != nil {
			t.Fatal(err)
		}
		names := func() string {
			t.Helper()
			list, err := session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
			}
			return strings.Join(names, " ")
		}
		if got := names(); !hasAll(got, "glob", "silent", "read", "write", "edit") {
			t.Errorf("%s: the tools are %s", revision, got)
		}
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "silent"})
		if err != nil || result.IsError {
			t.Errorf("%s: got %+v, %v", revision, result, err)
		}
		if err := os.WriteFile(s.config, []byte("[policy]\ndeny = [\"read\", \"write\", \"edit\"]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.signal(t, syscall.SIGHUP)
		s.expectLine(t, `level=INFO msg="the operator's file was reloaded"`)
		<-changed
		if got := names(); !hasAll(got, "glob", "silent") || hasAny(got, "read", "write", "edit") {
			t.Errorf("%s: the tools are %s", revision, got)
		}
		if err := os.WriteFile(s.config, []byte("nonsense = 1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.signal(t, syscall.SIGHUP)
		s.expectLine(t, `level=WARN msg="the operator's file was not reloaded`)
		if got := names(); !hasAll(got, "glob", "silent") || hasAny(got, "read", "write", "edit") {
			t.Errorf("%s: after a file with errors the tools are %s", revision, got)
		}
		if err := session.Close(); err != nil {
			t.Errorf("%s: %v", revision, err)
		}
		if got := s.cmd.ProcessState.ExitCode(); got != exitOK {
			t.Errorf("%s: exit status %d", revision, got)
		}
	}
}

// hasAll reports whether a list of words contains all the given words. hasAny reports whether it
// contains any of them.
func hasAll(list string, words ...string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !hasAny(list, w) })
}

func hasAny(list string, words ...string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(w string) bool { return slices.Contains(words, w) })
}

// until polls the metrics until they contain line. It does not time out on its own.
func until(t *testing.T, url, line string) {
	t.Helper()
	for t.Context().Err() == nil {
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), line+"\n") {
			return
		}
	}
}

func TestServeHTTP(t *testing.T) {
	t.Parallel()
	traces := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		traces <- r.URL.Path + " " + r.Header.Get("Authorization") + " " + string(body)
	}))
	defer collector.Close()
	s := serveCommand(t, "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0")
	s.cmd.Env = append(s.cmd.Env,
		"OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL, "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20sesame", "OTEL_SERVICE_NAME=ours")
	if err := os.WriteFile(s.config, []byte("[servers.dead]\ncommand = [\"no-such-program\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	metrics := s.expectLine(t, `msg="serving health and metrics" url=`)
	url := s.expectLine(t, "msg=serving url=")
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{
		Name: "silent", Meta: mcp.Meta{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
	})
	if err != nil || result.IsError {
		t.Errorf("got %+v, %v", result, err)
	}
	until(t, metrics, `wasmtool_calls_total{tool="silent",code=""} 1`)
	until(t, metrics, "wasmtool_compile_seconds_count 1")
	until(t, metrics, `wasmtool_mcp_server_up{server="dead"} 0`)
	if line := s.expectLine(t, `level=INFO msg="[tools] silent ended" tool=silent call=call_`); !strings.Contains(line, " duration=") {
		t.Errorf("the line of the call ends with %q", line)
	}
	// A client that disconnects stops a guest that would run forever.
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error, 1)
	go func() {
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "loop"})
		given <- err
	}()
	until(t, metrics, "wasmtool_calls_running 1")
	cancel()
	if err := <-given; !errors.Is(err, context.Canceled) {
		t.Errorf("the client got %v", err)
	}
	until(t, metrics, `wasmtool_calls_total{tool="loop",code="cancelled"} 1`)
	s.signal(t, syscall.SIGTERM)
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the command ended with %v", err)
	}
	// The spans of both calls have arrived when the command has ended.
	close(traces)
	sent := ""
	for body := range traces {
		sent += body + "\n"
	}
	for _, part := range []string{
		"/v1/traces Bearer sesame {", `"traceId":"0af7651916cd43dd8448eb211c80319c"`, `"parentSpanId":"b7ad6b7169203331"`, `"name":"execute_tool silent"`,
		`"name":"execute_tool loop"`, `"status":{"code":2,"message":"cancelled"}`, `{"key":"service.name","value":{"stringValue":"ours"}}`,
	} {
		if !strings.Contains(sent, part) {
			t.Errorf("the collector did not get %s: %s", part, sent)
		}
	}
	if err := session.Close(); err != nil && !errors.Is(err, mcp.ErrConnectionClosed) {
		t.Log("the client's side:", err) // the server has ended, so the client may fail
	}
}
