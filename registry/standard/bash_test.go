package standard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// bashTestdata is where the scripts are that the sources of the tool are tested with.
const bashTestdata = "../../guest-examples/bash/testdata"

// bashScripts are some of those scripts, by file and name, that say most about the
// module: pipes, jobs, files, and what the build changes in the interpreter.
func bashScripts(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(bashTestdata + "/cases/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of scripts: %v", err)
	}
	scripts := map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		every := 12
		if filepath.Base(file) == "redirect.txt" {
			every = 3
		}
		for i, part := range strings.Split("\n"+string(content), "\n### ")[1:] {
			if name, text, _ := strings.Cut(part, "\n"); i%every == 0 {
				scripts[filepath.Base(file)+"/"+name] = text
			}
		}
	}
	return scripts
}

// bashIn calls the tool bash in a workspace.
func bashIn(t *testing.T, tools *registry.Registry, dir string, args map[string]any) (tool.Result, error) {
	t.Helper()
	input, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	own := tools.Tenant(t.Name(), registry.Overlay{Mounts: map[string]capability.Mount{
		standard.WorkspaceMount: {Dir: dir, Mode: capability.ModeWrite},
	}})
	return own.Execute(t.Context(), tool.Call{Tool: "bash", Arguments: input})
}

// bashRegistry has the tool bash, which runs unasked.
func bashRegistry(t *testing.T) *registry.Registry {
	t.Helper()
	tools, err := standard.New(standard.Options{
		Offer:  capability.Offer{Mounts: map[string]capability.Mount{standard.WorkspaceMount: {Dir: t.TempDir(), Mode: capability.ModeWrite}}},
		Policy: policy.Config{Tools: map[string]policy.ToolRule{"bash": {AutoExecute: true}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tools.Close() })
	return tools
}

// bashTree is a workspace with the files that the scripts work on.
func bashTree(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tree")
	if err := os.CopyFS(dir, os.DirFS(bashTestdata+"/tree")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Scripts do in the module what they do with the system's bash. Errors go to standard
// output here, as the output of a call holds both.
func TestBash_sameInTheModule(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash to compare with")
	}
	tools := bashRegistry(t)
	for name, script := range bashScripts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			cmd := exec.CommandContext(ctx, bash, "--noprofile", "--norc", "-c", script)
			cmd.Dir = bashTree(t)
			cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin", "HOME=" + cmd.Dir, "TMPDIR=" + t.TempDir()}
			var want bytes.Buffer
			cmd.Stdout = &want
			_ = cmd.Run() // its status is compared below

			// The output of a call has standard error, too: leave that out.
			result, err := bashIn(t, tools, bashTree(t), map[string]any{"command": "{\n" + script + "\n} 2>/dev/null"})
			if err != nil && tool.CodeOf(err) != tool.CodeExecution {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(result.Metadata["exit_code"]), fmt.Sprint(cmd.ProcessState.ExitCode()); got != want {
				t.Errorf("%s\nthe exit status is %s, want %s: %q", script, got, want, result.Text())
			}
			if !strings.HasPrefix(result.Text(), want.String()) {
				t.Errorf("%s\ngot  %q\nwant %q", script, result.Text(), want.String())
			}
		})
	}
}
