package attack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// The program shows no secret in any of its output about a call, and stores none on disk.
func TestTheProgramShowsNoSecret(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the test sets the modes of files, which Windows does not have")
	}
	program := guesttest.Program(t, t.TempDir())
	wasm, err := scriptWASM()
	if err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+token {
			sent.Add(1)
		}
		parrot(rw, r)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	operator := fmt.Sprintf(`
[secrets.TOKEN]
env = "TOKEN"
[grants]
allow = ["net:%[1]s/", "secret:TOKEN", "kv:write"]
[tools.script]
auto_execute = true
[audit]
file = "state/audit.jsonl"
`, server.URL)
	asked := fmt.Sprintf("[permissions]\nkv = \"write\"\n[[permissions.net]]\nurl = %q\nsecrets = [{ name = \"TOKEN\", header = \"Authorization\", prefix = \"Bearer \" }]\n", server.URL+"/")
	if err := os.Mkdir(filepath.Join(dir, "script"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"script/tool.toml": fmt.Sprintf(manifest, "script", "", scriptForm, "") + asked, "script/tool.wasm": string(wasm), "wasmtool.toml": operator} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, path := range []string{"/plain", "/json", "/header", "/binary", "/percent"} {
		for j, end := range []step{{Do: "say"}, {Do: "fail"}} {
			for k, flags := range [][]string{{"--json", "--receipt"}, {"--receipt"}} {
				if (i+j+k)%testlevel.Size(4, 1) != 0 {
					continue
				}
				call := script("script", get(server.URL+path), step{Do: "head", Handle: -1}, step{Do: "body", Handle: -1}, step{Do: "echo"}, end)
				args := append([]string{"run", "./script", "--config", "wasmtool.toml", "--cache", guesttest.ModuleDir(t), "--input", string(call.Arguments)}, flags...)
				cmd := exec.Command(program, args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "TOKEN="+token, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "WASMTOOL_CONFIG=")
				text, err := cmd.CombinedOutput()
				var exit *exec.ExitError
				if err != nil && !errors.As(err, &exit) || !bytes.Contains(text, []byte(`"call_id"`)) || (err != nil) != (end.Do == "fail") {
					t.Fatalf("%s %s %v: %v\n%s", path, end.Do, flags, err, text)
				}
				if leak := leaks(string(text)); leak != "" {
					t.Errorf("%s %s %v: it shows %s", path, end.Do, flags, leak)
				}
			}
		}
	}
	if sent.Load() == 0 {
		t.Error("no server got a secret, so the test is not meaningful")
	}
	if n := leaksBelow(t, filepath.Join(dir, "state")); n < 2 {
		t.Errorf("%d files of state, want the record of calls and a store", n)
	}
}

// leaksBelow searches all files below a directory for secrets, and returns the number of files.
func leaksBelow(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		n++
		content, err := os.ReadFile(path)
		if leak := leaks(string(content)); leak != "" {
			t.Errorf("%s contains %s", path, leak)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// If a secret is not available in time, its call still ends at the deadline. Other calls that wait
// for the same secret are not delayed.
func TestSlowSecretsEndWithTheCall(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the test needs the program sleep, which Windows does not have")
	}
	w := newWorld(t, hello)
	l := newLab(t, setup{
		tools: map[string]string{"script": "[[permissions.net]]\nurl = \"https://api.example.com/\"\nsecrets = [{ name = \"TOKEN\", basic = true }]\n"},
		operator: `
[secrets.TOKEN]
command = ["sleep", "60"]
[grants]
allow = ["net:https://api.example.com/", "secret:TOKEN"]
[tools.script]
auto_execute = true
`, http: w.options(),
	})
	l.play(t, step{Do: "say"}) // compiles the module before the calls that are tested
	l.noted()
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() {
			l.timesOut(t, script("script", get("https://api.example.com/")), func(u capability.Usage) bool { return len(u.Requests) == 1 })
		})
	}
	calls.Wait()
	if len(w.requests()) > 0 {
		t.Error("a request was sent without its secret")
	}
	for _, r := range l.noted() {
		if text, err := json.Marshal(r); err != nil || len(r.Usage.Requests) == 1 && r.Usage.Requests[0].Sent {
			t.Errorf("the receipt says %s", text)
		}
	}
}
