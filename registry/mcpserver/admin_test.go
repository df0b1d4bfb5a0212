package mcpserver_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// admin returns a function that requests a page of ServeAdmin.
func (w *world) admin(t testing.TB) func(path string, header map[string]string) (int, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.server.ServeAdmin(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the listener ended with %v", err)
		}
	})
	s := &site{addr: l.Addr().String()}
	return func(path string, header map[string]string) (int, string) {
		status, body, _ := s.send(t, request{method: "GET", path: path, header: header})
		return status, body
	}
}

func (w *world) ready(t testing.TB) bool {
	status, _ := w.admin(t)("/readyz", nil)
	return status == 200
}

func TestAdminPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "works"}, says("x"))
	w.add(t, tool.Spec{Name: "fails"}, func(context.Context, tool.Invocation) (tool.Result, error) {
		return tool.Result{}, &tool.Error{Code: tool.CodeExecution, Message: "no"}
	})
	session := w.connect(t, "2025-11-25", nil)
	callText(t, session, "works", nil)
	for range 2 {
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fails"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "made_up"}); err == nil {
		t.Error("an unknown tool can be called")
	}
	w.listen(t, mcpserver.HTTPOptions{}).send(t, request{body: hello, header: map[string]string{"Host": "evil.example.com"}})
	get := w.admin(t)
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ready\n"} {
		if status, body := get(path, nil); status != 200 || body != want {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}
	_, metrics := get("/metrics", nil)
	for _, line := range []string{
		`wasmtool_calls_total{tool="works",code=""} 1`,
		`wasmtool_calls_total{tool="fails",code="execution"} 2`,
		`wasmtool_call_seconds_bucket{tool="fails",le="+Inf"} 2`,
		`wasmtool_call_seconds_count{tool="works"} 1`,
		`wasmtool_tenant_calls_total{tenant=""} 3`,
		`wasmtool_compile_seconds_count 0`,
		`wasmtool_http_refused_total{reason="host"} 1`,
		`wasmtool_calls_running 0`,
		`wasmtool_sessions 1`,
		`wasmtool_tools 2`,
	} {
		if !bytes.Contains([]byte(metrics), []byte(line+"\n")) {
			t.Errorf("the metrics lack %s:\n%s", line, metrics)
		}
	}
	documented, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	var names, rows []string
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`).FindAllStringSubmatch(metrics, -1) {
		names = append(names, m[1]+" "+m[2])
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (gauge|counter|histogram) ").FindAllStringSubmatch(string(documented), -1) {
		onLinux := slices.Contains([]string{"process_resident_memory_bytes", "process_open_fds", "process_cpu_seconds_total"}, m[1])
		if runtime.GOOS == "linux" || !onLinux {
			rows = append(rows, m[1]+" "+m[2])
		}
	}
	slices.Sort(names)
	slices.Sort(rows)
	if !slices.Equal(names, rows) {
		t.Errorf("the metrics are %q, docs/mcp.md has %q", names, rows)
	}
	if strings.Contains(metrics, "made_up") {
		t.Error("a client can add a metric")
	}
	if status, _ := get("/metrics", map[string]string{"Host": "evil.example.com"}); status != 403 {
		t.Errorf("a rebound host name gets %d", status)
	}
	if status, _ := get("/debug/pprof/", nil); status != 404 {
		t.Errorf("another page: %d", status)
	}
}
