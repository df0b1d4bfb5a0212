package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/ledger/loop"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// polling: repeated equal calls of a session without new results need approval, which is not
// available here. With polling, the repeated calls of a tool need no approval.
func TestKeyPolling(t *testing.T) {
	for key, want := range map[string]tool.Code{"polling = true\n": "", "polling = false\n": tool.CodeApprovalRequired} {
		l := newLab(t, setup{tools: map[string]string{"script": key}})
		var err error
		for range loop.DefaultAsk {
			call := script("script", step{Do: "say", Text: "still nothing"})
			call.Session = "a session"
			if _, err = l.execute(t, call); err != nil {
				break
			}
		}
		if got := tool.CodeOf(err); got != want {
			t.Errorf("%s: got %q (%v), want %q", key, got, err, want)
		}
	}
}

// changes: calls that change different files run concurrently. If the manifest does not name the
// file that a call changes, a second call waits for the first.
func TestKeyChanges(t *testing.T) {
	const asks = "[[permissions.fs]]\nmount = \"data\"\nmode = \"write\"\n"
	for key, want := range map[string]tool.Code{"changes = \"{path}\"\n": "", "": tool.CodeTimeout} {
		l := newLab(t, setup{
			tools:    map[string]string{"script": key + asks},
			operator: auto + fmt.Sprintf("[mounts]\ndata = { path = %q, mode = \"write\" }\n", t.TempDir()),
		})
		change := func(name string) tool.Call {
			arguments, err := json.Marshal(map[string]any{"path": "/data/" + name, "steps": []step{
				{Do: "progress"}, {Do: "create", Text: "/data/" + name, More: ptr("new")},
			}})
			if err != nil {
				t.Fatal(err)
			}
			return tool.Call{Tool: "script", Arguments: arguments}
		}
		started, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		first := change("a.txt")
		first.OnProgress = func(float64, float64, string) {
			close(started)
			<-release
		}
		go func() {
			_, err := l.tools.Execute(t.Context(), first)
			ended <- err
		}()
		<-started
		ctx, cancel := context.WithCancel(t.Context())
		if want != "" { // the second call waits for the first, which ends only after this timeout
			ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
		}
		_, err := l.tools.Execute(ctx, change("b.txt"))
		cancel()
		if got := tool.CodeOf(err); got != want {
			t.Errorf("%q: the second call: got %q (%v), want %q", key, got, err, want)
		}
		close(release)
		if err := <-ended; err != nil {
			t.Errorf("%q: the first call: %v", key, err)
		}
	}
}

// The key shell: a call whose script only reads runs without approval, and the tool cannot write.
// This does not depend on how the tool interprets the script: the tool of this test does not
// interpret it at all.
func TestKeyShell(t *testing.T) {
	dir := t.TempDir()
	yes := false
	l := newLab(t, setup{
		approver: registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
			return registry.Answer{Yes: yes}, nil
		}),
		tools:    map[string]string{"script": runsScripts + "[permissions]\nkv = \"write\"\n"},
		operator: fmt.Sprintf("[mounts]\ndata = { path = %q, mode = \"write\" }\n[grants]\nallow = [\"kv:write\"]\n", dir),
	})
	call := func(command string) tool.Call {
		arguments, err := json.Marshal(map[string]any{"path": command, "steps": []step{
			{Do: "create", Text: "/data/new", More: ptr("written")}, {Do: "put", Text: "k"}, {Do: "say", Text: "the end"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		return tool.Call{Tool: "script", Arguments: arguments}
	}
	result, err := l.execute(t, call("ls | sort"))
	if err != nil || !strings.Contains(string(result.Structured)+result.Text(), "the end") {
		t.Errorf("a script that reads: %s%s, %v", result.Structured, result.Text(), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil || result.Call.Usage.Changed() {
		t.Errorf("a call that may only read wrote: %+v", result.Call.Usage)
	}
	for command, want := range map[string]tool.Code{"touch new": tool.CodePermissionDenied, "ls; sudo ls": tool.CodePermissionDenied} {
		if _, err := l.execute(t, call(command)); tool.CodeOf(err) != want {
			t.Errorf("%q: %v, want the code %q", command, err, want)
		}
	}
	// With approval, the tool can write. So it was the grant that kept the first call from writing.
	yes = true
	if result, err := l.execute(t, call("touch new")); err != nil || !result.Call.Usage.Changed() {
		t.Errorf("a call that may write: %+v, %v", result.Call.Usage, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
}
