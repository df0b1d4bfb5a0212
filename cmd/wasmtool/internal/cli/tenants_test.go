package cli

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer adds a token to each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// An operator serves two tenants with the file of docs/operators-day.md, investigates a denied
// call, adds a rule for one tenant, and stops a tool.
func TestOperatorServesTwoTenants(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGHUP")
	}
	program, cache := sharedProgram(t)
	dir := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := ""
	for _, b := range blocks(t, filepath.Join("..", "..", "..", "..", "docs", "operators-day.md")) {
		if len(b.info) == 2 && b.info[1] == "conf/wasmtool.toml" {
			file = b.text
		}
	}
	write("conf/wasmtool.toml", file)
	write("srv/blue/plan.txt", "the plan of blue\n")
	write("srv/blue/a.key", "private\n")
	write("srv/red/notes.txt", "the notes of red\n")
	for _, tenant := range []string{"blue", "red"} {
		write("conf/"+tenant+".token", "the-token-of-"+tenant+"\n")
	}
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, append(args, "--config", "conf/wasmtool.toml", "--cache", cache)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "none"))
		return cmd
	}
	s := &served{cmd: command("serve", "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0")}
	log, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stderr = bufio.NewReader(log)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() }) // it has ended, unless the test failed
	metrics := s.expectLine(t, `msg="serving health and metrics" url=`)
	url := s.expectLine(t, "msg=serving url=")
	call := func(tenant, name string, arguments map[string]any) string {
		t.Helper()
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
			Endpoint: url, HTTPClient: &http.Client{Transport: bearer("the-token-of-" + tenant)},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			return err.Error()
		}
		return result.Content[0].(*mcp.TextContent).Text
	}
	expect := func(tenant, name string, arguments map[string]any, want string) {
		t.Helper()
		if got := call(tenant, name, arguments); !strings.Contains(got, want) {
			t.Errorf("%s calls %s %v: got %q, want %q", tenant, name, arguments, got, want)
		}
	}
	plan, key := map[string]any{"file_path": "plan.txt"}, map[string]any{"file_path": "a.key"}
	note := map[string]any{"file_path": "a.txt", "content": "x"}
	expect("blue", "read", plan, "the plan of blue")
	expect("red", "read", plan, "plan.txt does not exist in the workspace")
	expect("red", "read", map[string]any{"file_path": "notes.txt"}, "the notes of red")
	expect("blue", "write", note, "created a.txt")
	expect("red", "write", note, "not granted: write:workspace")
	if line := s.expectLine(t, "a call was not allowed; "); !regexp.MustCompile(`tool=write call=call_\w+ fix="write:workspace: denied by write:workspace \(conf/wasmtool.toml:14\)`).MatchString(line) {
		t.Errorf("the log says %s", line)
	}
	until(t, metrics, `wasmtool_calls_total{tool="write",code="permission_denied"} 1`)

	file += "\n[[tenants.blue.rules]]\neffect = \"deny\"\ntools = [\"read\"]\narguments = { \"/file_path\" = { glob = \"**/*.key\" } }\nreason = \"keys are private\"\n"
	expect("blue", "read", key, "private")
	write("conf/wasmtool.toml", file)
	s.signal(t, syscall.SIGHUP)
	s.expectLine(t, `msg="the operator's file was reloaded"`)
	expect("blue", "read", key, "the operator's policy denies the call: keys are private")
	expect("blue", "read", plan, "the plan of blue")

	shown, err := command("show", "write").Output()
	digest := regexp.MustCompile(`sha256:[0-9a-f]{64}`).FindString(string(shown))
	if err != nil || digest == "" {
		t.Fatalf("no digest (%v): %s", err, shown)
	}
	write("conf/wasmtool.toml", file+"\n[revoked]\ndigests = [\""+digest+"\"]\n")
	s.signal(t, syscall.SIGHUP)
	s.expectLine(t, `msg="the operator's file was reloaded"`)
	expect("blue", "write", note, "the operator has revoked the tool")
	s.signal(t, syscall.SIGTERM)
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the command ended with %v", err)
	}
	receipts, err := os.ReadFile(filepath.Join(dir, "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"tool":"write","version":"1.0.0","tenant":"blue"`, `"tool":"write","version":"1.0.0","tenant":"red"`, digest, `"files_written":["/workspace/a.txt"]`} {
		if !strings.Contains(string(receipts), want) {
			t.Errorf("no receipt has %s:\n%s", want, receipts)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "srv", "red", "a.txt")); err == nil {
		t.Error("red has written")
	}
}
