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

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// bashTestdata is the directory of the scripts that test the sources of the tool bash.
const bashTestdata = "../../guest-examples/shell/bash/testdata"

// bashScripts returns a sample of the scripts, keyed by file and name: every 6th script of
// redirect.txt, and every 24th of the other files.
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
		every := 24
		if filepath.Base(file) == "redirect.txt" {
			every = 6
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
	own := tools.Tenant(t.Name(), registry.TenantOptions{Mounts: map[string]capability.Mount{
		capability.WorkspaceMount: {Dir: dir, Mode: capability.ModeWrite},
	}})
	return own.Execute(t.Context(), tool.Call{Tool: "bash", Arguments: input})
}

// bashTakesLong says why only long test runs have these tests: compiling the module takes six
// seconds of processor time. guest-examples tests the tool natively, and
// testdata/script/shell.txtar tests it in the program.
const bashTakesLong = "it compiles the shell and runs its corpus"

// bashRegistry returns a registry with the tool bash.
func bashRegistry(t *testing.T) *registry.Registry {
	t.Helper()
	tools, err := standard.New(standard.Options{
		Registry: registry.Options{
			Rules: registry.Rules{Grantable: capability.Grantable{
				Mounts: map[string]capability.Mount{capability.WorkspaceMount: {Dir: t.TempDir(), Mode: capability.ModeWrite}},
			}},
			// The policy for scripts has its own tests, so this registry approves every call.
			Approvals: registry.ApprovalOptions{Approver: registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
				return registry.Answer{Yes: true}, nil
			})},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tools.Close() })
	return tools
}

// bashTree returns a workspace with the files that the scripts work on.
func bashTree(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tree")
	if err := os.CopyFS(dir, os.DirFS(bashTestdata+"/tree")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// In the module, scripts have the same results as in the system's bash. The scripts write errors to
// standard output, because the output of a call contains both streams.
func TestBash_sameInTheModule(t *testing.T) {
	testlevel.Long(t, bashTakesLong)
	bash := testlevel.Program(t, "bash")
	tools := bashRegistry(t)
	for name, script := range bashScripts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The output of a call includes standard error, so the script discards standard error.
			// An error in an assignment ends the whole group, also in bash.
			script := "{\n" + script + "\n} 2>/dev/null"
			cmd := exec.CommandContext(t.Context(), bash, "--noprofile", "--norc", "-c", script)
			cmd.Dir = bashTree(t)
			cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin", "HOME=" + cmd.Dir, "TMPDIR=" + t.TempDir()}
			var want bytes.Buffer
			cmd.Stdout = &want
			_ = cmd.Run() // the exit status is compared below

			result, err := bashIn(t, tools, bashTree(t), map[string]any{"command": script})
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

// A script that attacks the sandbox, the limits or the deadline ends in time. Its message for the
// model reveals nothing of the host.
func TestBash_hostile(t *testing.T) {
	testlevel.Long(t, bashTakesLong)
	tools := bashRegistry(t)
	for name, test := range map[string]struct {
		command string
		code    tool.Code // empty if the call must succeed
		want    string
	}{
		"files of the system":      {"cat /etc/passwd", tool.CodeExecution, "cat: /etc/passwd: No such file or directory"},
		"environment by /proc":     {"cat /proc/self/environ", tool.CodeExecution, "cat: /proc/self/environ: No such file or directory"},
		"environment of the host":  {"env; export -p; set | cat; echo done", "", "done"},
		"writing beside":           {"echo x > /workspace/../outside.txt", tool.CodeExecution, "bash: /workspace/../outside.txt:"},
		"writing above":            {"echo x > ../outside.txt", tool.CodeExecution, "bash: ../outside.txt:"},
		"reading above":            {"cat ../../secret.txt", tool.CodeExecution, "No such file or directory"},
		"folder above":             {"cd ..; ls; cd ..; ls; pwd", "", "/\n"},
		"hooks of git":             {"mkdir .git; echo x > .git/config; ls -A .git", tool.CodeExecution, "ermission denied"},
		"moving to .git":           {"mkdir g && mv g .git", tool.CodeExecution, "ermission denied"},
		"folders are moved":        {"mkdir -p a/b && mv a c && rmdir c/b && rm -r c && echo done", "", "done"},
		"programs":                 {"/bin/true2; python3 -c 1; ./sub/main.go", tool.CodeExecution, "python3: command not found"},
		"the network":              {"echo x > /dev/tcp/127.0.0.1/80", tool.CodeExecution, "No such file or directory"},
		"fork bomb":                {":(){ :|:& };:", "", ""},
		"many jobs":                {"for i in {1..5000}; do sleep 100 & done; wait", tool.CodeExecution, "too many background jobs"},
		"endless loop":             {"echo begun; while true; do :; done", tool.CodeExecution, "begun\nstopped after 300ms"},
		"endless arithmetic":       {"echo begun; for ((;;)); do ((++i)); done", tool.CodeExecution, "begun\nstopped after 300ms"},
		"endless reading":          {"echo begun; while :; do read x < empty.txt; done", tool.CodeExecution, "begun\nstopped after 300ms"},
		"endless job":              {"echo begun; while :; do :; done & wait", tool.CodeExecution, "begun\nstopped after 300ms"},
		"waiting for a pipe":       {"echo begun; while :; do :; done | cat", tool.CodeExecution, "begun\nstopped after 300ms"},
		"function calls itself":    {"f() { f; }; f", tool.CodeExecution, "nested too deeply"},
		"script runs itself":       {"echo 'sh self.sh' > self.sh; sh self.sh", tool.CodeExecution, "nested too deeply"},
		"nested substitutions":     {strings.Repeat("echo $(", 30_000), tool.CodePermissionDenied, "nests too many brackets"},
		"huge braces":              {"echo {1..1000000000}", tool.CodeExecution, "brace expansion would exceed"},
		"shift too far":            {"echo $((1<<99999))", "", "2147483648\n"},
		"memory":                   {"x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done", tool.CodeResourceExhausted, "memory"},
		"output":                   {"yes", tool.CodeExecution, "wrote more than 8 MiB"},
		"a file without an end":    {"yes > big", tool.CodeExecution, "stopped after 300ms"},
		"a folder that is not":     {"pwd", tool.CodeExecution, "working_directory"},
		"scratch space for a call": {"mktemp -d >/dev/null 2>&1; echo x > /tmp/x; cat /tmp/x; ls /tmp", "", "x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := bashTree(t)
			args := map[string]any{"command": test.command, "timeout_ms": 20_000}
			if strings.HasSuffix(test.want, "stopped after 300ms") {
				args["timeout_ms"] = 300
			}
			if name == "a folder that is not" {
				args["working_directory"] = "nowhere"
			}
			result, err := bashIn(t, tools, dir, args)
			if code := tool.CodeOf(err); code != test.code {
				t.Errorf("got the code %q, want %q: %v", code, test.code, err)
			}
			text := result.Text()
			if err != nil {
				text += err.Error()
			}
			if !strings.Contains(text, test.want) {
				t.Errorf("got %.500q, want a text with %q", text, test.want)
			}
			for _, never := range []string{filepath.Dir(dir), os.Getenv("HOME"), os.Getenv("PATH"), "goroutine ", "panic:"} {
				if never != "" && never != "/" && strings.Contains(text, never) {
					t.Errorf("the text has %q: %.500q", never, text)
				}
			}
			if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
				t.Errorf("beside the workspace there are now %v, %v", left, err)
			}
		})
	}
}
