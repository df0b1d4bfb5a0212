package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/peer"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// What CodeCall measures.
const (
	CodeDirect   = "ten direct calls"
	CodeNone     = "script without calls"
	CodeInTurn   = "script with ten calls, one after another"
	CodeTogether = "script with ten calls, together"
)

// CodeCalls is the number of calls in a script and of direct calls.
const CodeCalls = 10

// CodeCall is a call of the tool code, or CodeCalls direct calls of the tool that its scripts call.
type CodeCall struct {
	Language string `json:"language"` // empty for direct calls
	What     string `json:"what"`
	Summary
	Missing string `json:"missing,omitempty"`

	script string
}

// Code are the measurements of the tool code.
type Code struct {
	Calls []CodeCall `json:"calls"`
	Tasks []CodeTask `json:"tasks"`
}

// Call returns a row, or a row with the reason why nothing was measured.
func (c Code) Call(language, what string) CodeCall {
	for _, row := range c.Calls {
		if row.Language == language && row.What == what {
			return row
		}
	}
	return CodeCall{Missing: "excluded by --only"}
}

// InnerCost returns how much longer a call takes in a script of a language than a direct call.
// figure selects a figure of each row.
func (c Code) InnerCost(language string, figure func(Summary) time.Duration) (time.Duration, string) {
	none, ten, direct := c.Call(language, CodeNone), c.Call(language, CodeInTurn), c.Call("", CodeDirect)
	for _, row := range []CodeCall{none, ten, direct} {
		if row.Missing != "" {
			return 0, row.Missing
		}
	}
	return (figure(ten.Summary) - figure(none.Summary) - figure(direct.Summary)) / CodeCalls, ""
}

// codeCalls are the rows, in the order of the table.
func codeCalls() []CodeCall {
	return []CodeCall{
		{What: CodeDirect},
		{Language: "JavaScript", What: CodeNone, script: "return 45"},
		{Language: "JavaScript", What: CodeInTurn, script: "let sum = 0;\nfor (let i = 0; i < 10; i++) sum += (await tools.next({i})).next - 1;\nreturn sum"},
		{Language: "JavaScript", What: CodeTogether, script: "const all = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => tools.next({i})));\nreturn all.reduce((sum, {next}) => sum + next - 1, 0)"},
		{Language: "Python", What: CodeNone, script: "45"},
		{Language: "Python", What: CodeInTurn, script: "sum(tools.next(i=i)['next'] - 1 for i in range(10))"},
		{Language: "Python", What: CodeTogether, script: "import asyncio\nall = await asyncio.gather(*[tools.next(i=i) for i in range(10)])\nsum(a['next'] - 1 for a in all)"},
	}
}

// codeOutput is what each script returns.
const codeOutput = "45"

// MeasureCode measures the tool code. Scripts and direct calls take turns; each turn makes
// warmCalls calls.
func MeasureCode(ctx context.Context, s peer.Setup, p Plan, progress func(string)) Code {
	progress("code")
	result := Code{Calls: codeCalls()}
	tools, done, err := codeTools(s)
	if err != nil {
		for i := range result.Calls {
			result.Calls[i].Missing = reason(err)
		}
		return result
	}
	defer done()
	times := make([][]time.Duration, len(result.Calls))
	for round := range p.Code + 1 { // the first round warms up
		for i := range result.Calls {
			row := &result.Calls[i]
			for range warmCalls {
				if row.Missing != "" || ctx.Err() != nil {
					continue
				}
				start := time.Now()
				err := row.once(ctx, tools)
				if round > 0 {
					times[i] = append(times[i], time.Since(start))
				}
				if err != nil {
					row.Missing = reason(err)
				}
			}
		}
	}
	for i := range result.Calls {
		result.Calls[i].Summary = Summarise(times[i])
	}
	result.Tasks = codeTasks(ctx, tools)
	return result
}

// once runs the script, or makes the direct calls.
func (c CodeCall) once(ctx context.Context, tools *registry.Registry) error {
	if c.Language == "" {
		for i := range CodeCalls {
			if _, err := tools.Execute(ctx, tool.Call{Tool: "next", Arguments: fmt.Appendf(nil, `{"i":%d}`, i)}); err != nil {
				return err
			}
		}
		return nil
	}
	language := "js"
	if c.Language == "Python" {
		language = "python"
	}
	arguments, err := json.Marshal(map[string]string{"language": language, "script": c.script})
	if err != nil {
		return err
	}
	result, err := tools.Execute(ctx, tool.Call{Tool: "code", Arguments: arguments})
	if got := result.Text(); err == nil && got != codeOutput {
		err = fmt.Errorf("it returned %.200q", got)
	}
	return err
}

// codeTools returns a registry with the tool code and the tools that scripts call: next is cheap,
// and log and ticket are for codeTasks. Scripts may call all tools.
func codeTools(s peer.Setup) (_ *registry.Registry, done func(), err error) {
	dir, err := os.MkdirTemp("", "wasmtool-bench-")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	all, err := capability.ParsePermission("tools:*")
	if err != nil {
		return nil, nil, err
	}
	o := standard.Options{
		Runtime:  runtime.Options{CacheDir: filepath.Join(s.Cache, "runtime"), CompileCommand: s.Compiler},
		StateDir: filepath.Join(dir, "state"),
		Registry: registry.Options{Rules: registry.Rules{Granted: []capability.Permission{all}}},
	}
	archive, err := os.Open(filepath.Join(s.Cache, PythonArchive))
	if err != nil {
		return nil, nil, errors.New("the archive of Python is missing; run.sh fetches it")
	}
	defer archive.Close()
	if err := standard.Runtimes(o).Add("python", archive); err != nil {
		return nil, nil, err
	}
	tools, err := standard.New(o)
	if err != nil {
		return nil, nil, err
	}
	shut := func() {
		_ = tools.Close()
		_ = os.RemoveAll(dir)
	}
	reads := &capability.Effects{ReadOnly: true}
	err = errors.Join(
		add(tools, tool.Spec{Name: "next", Description: "Returns the next number.", Declared: reads}, func(_ context.Context, in nextInput) (nextOutput, error) {
			return nextOutput{in.I + 1}, nil
		}),
		add(tools, tool.Spec{Name: "log", Description: "Returns the lines of a service's log, oldest first.", Declared: reads}, func(_ context.Context, in logInput) (string, error) {
			return logOf(in.Service), nil
		}),
		add(tools, tool.Spec{Name: "ticket", Description: "Files a ticket and returns its key.", Declared: &capability.Effects{}}, func(_ context.Context, in ticketInput) (ticketOutput, error) {
			return ticketOutput{"OPS-" + ticketKey(in.Title)}, nil
		}),
	)
	if err != nil {
		shut()
		return nil, nil, err
	}
	return tools, shut, nil
}

type (
	nextInput struct {
		I int `json:"i"`
	}
	nextOutput struct {
		Next int `json:"next"`
	}
	logInput struct {
		Service string `json:"service"`
	}
	ticketInput struct {
		Title string `json:"title"`
		Count int    `json:"count" jsonschema:"lines with this error"`
	}
	ticketOutput struct {
		Key string `json:"key"`
	}
)

// add registers a tool in Go.
func add[In, Out any](tools *registry.Registry, spec tool.Spec, f func(context.Context, In) (Out, error)) error {
	spec.Version = "1.0.0"
	spec, executor, err := native.Define(native.Options{Spec: spec}, f)
	if err != nil {
		return err
	}
	return tools.Tools().Register(spec, executor)
}

// The log of the task: each tenth of its lines is an error, and the errors take turns.
const logLines = 5000

var logErrors = []string{
	"database connection refused", "payment gateway timed out", "session store is full", "template missing: invoice",
	"rate limit of the mail provider", "checksum mismatch in upload", "job queue is stuck", "certificate expires today",
}

func logOf(service string) string {
	var b strings.Builder
	for i := range logLines {
		fmt.Fprintf(&b, "2026-11-30T%02d:%02d:%02dZ %s ", i/3600, i/60%60, i%60, service)
		if i%10 == 9 {
			fmt.Fprintf(&b, "ERROR %s\n", logErrors[i/10%len(logErrors)])
		} else {
			fmt.Fprintf(&b, "INFO GET /orders/%d 200 in %d ms\n", 1000+i, 3+i%40)
		}
	}
	return b.String()
}

// ticketKey makes the key of a ticket from its title, so that the tool needs no state.
func ticketKey(title string) string {
	return fmt.Sprint(100 + slices.Index(logErrors, title))
}
