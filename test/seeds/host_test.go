package seeds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/registry/compat"
)

// hosted is the command host in a workspace.
type hosted struct {
	workspace string
	in        io.Writer
	out       *json.Decoder
}

// answer is what the host writes about a call.
type answer struct {
	compat.Response
	// View is the result in the form {content, details}.
	View json.RawMessage `json:"view"`
	// Updates and Questions are what the tool reported and what the person was asked, in order.
	Updates   json.RawMessage `json:"updates"`
	Questions json.RawMessage `json:"questions"`
}

// host starts the command host with the operator's file, and puts files into its workspace.
func host(t *testing.T, file string, files map[string]string) *hosted {
	t.Helper()
	dir := t.TempDir()
	h := &hosted{workspace: filepath.Join(dir, "workspace")}
	if err := os.Mkdir(h.workspace, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, content := range files {
		path = filepath.Join(h.workspace, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(dir, "wasmtool.toml")
	if err := os.WriteFile(config, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "./host", "-workspace", h.workspace, "-config", config, "-cache", guesttest.ModuleDir(t), "-state", filepath.Join(dir, "state"))
	var log bytes.Buffer
	cmd.Stderr = &log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // the host ends at the end of its input
		if err := cmd.Wait(); err != nil {
			t.Errorf("host: %v\n%s", err, &log)
		}
	})
	h.in, h.out = in, json.NewDecoder(out)
	return h
}

// ask sends a request and returns the answer.
func (h *hosted) ask(t *testing.T, request string) answer {
	t.Helper()
	var line bytes.Buffer
	if err := json.Compact(&line, []byte(request)); err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	line.WriteByte('\n')
	if _, err := h.in.Write(line.Bytes()); err != nil {
		t.Fatal(err)
	}
	var got answer
	if err := h.out.Decode(&got); err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	return got
}

// call sends a request for a call.
func (h *hosted) call(t *testing.T, name, arguments string) answer {
	t.Helper()
	return h.ask(t, fmt.Sprintf(`{"toolId": %q, "arguments": %s}`, name, arguments))
}

// needsBuild skips a test of a built-in tool whose module may be older than its source, because its
// manifests differ. 'make guests' builds the modules.
func needsBuild(t *testing.T, name string) {
	t.Helper()
	manifest := func(dir string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(dir), name, "tool.toml"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if manifest("registry/builtins/artefacts") != manifest("guest-examples/tools") {
		t.Skipf("the tool %s has not been built since its manifest changed", name)
	}
}
