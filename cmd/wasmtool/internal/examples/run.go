package examples

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Options selects the examples to run.
type Options struct {
	// Tools says where the tools come from and how modules are compiled and cached. Its grants,
	// policy, approvals and stores are ignored: an example gets every permission that its manifest
	// asks for. Its Secrets are only for examples that reach servers. Tools that call other tools
	// can always call the built-in tools, whose examples run only without NoBuiltins.
	Tools standard.Options
	// Names holds the names or aliases of the tools whose examples are run. If Names is empty, the
	// examples of all tools are run.
	Names []string
	// Network also runs the examples with network = true, which send requests to servers. The
	// others never reach a server.
	Network bool
	// Record runs the examples that have network = true or answers in the manifest with the real
	// servers, and records the answers; see Outcome.Recorded.
	Record bool
}

// Status is the result of running an example.
type Status string

// The statuses.
const (
	// Passed: the result of the call is as the example expects.
	Passed Status = "passed"
	// Failed: the result differs; see Outcome.Mismatches.
	Failed Status = "failed"
	// NotRun: the example needs the network, and neither Options.Network nor Options.Record is set.
	NotRun Status = "not_run"
)

// Outcome is the result of one example.
type Outcome struct {
	Tool   string `json:"tool"`   // the name of the tool
	Source string `json:"source"` // where the tool comes from
	Title  string `json:"title"`  // the title of the example
	Status Status `json:"status"`
	// Mismatches describes each difference between the result and the example, in one or several
	// lines. The lines contain output of the tool: escape them before they are shown on a terminal.
	Mismatches []string `json:"faults,omitempty"`
	// Recorded has the requests and the answers as [[examples.http]] of a manifest. It contains no
	// secret of Options.Secrets, but may contain other private data.
	Recorded string `json:"recorded,omitempty"`
	// Diagnostics is what the tool wrote to standard error in the call, and the stack if it
	// trapped. Escape it before it is shown on a terminal.
	Diagnostics string `json:"diagnostics,omitempty"`
	// DurationMS is the duration, in milliseconds, of the call and of the calls in `before`.
	DurationMS int64 `json:"duration_ms"`
}

// Report is the result of all examples.
type Report struct {
	// Outcomes holds the results in the order of the tools and of the examples in their manifests.
	Outcomes []Outcome
	// Without holds the names of the tools that have no examples.
	Without []string
}

// Failures counts the examples that failed.
func (r Report) Failures() int {
	failed := 0
	for _, o := range r.Outcomes {
		if o.Status == Failed {
			failed++
		}
	}
	return failed
}

// Run runs examples one at a time. It returns an error if the examples cannot be run. The error is
// a [tool.Error] if a tool is the cause. An example that fails is not an error.
func Run(ctx context.Context, o Options) (Report, error) {
	stage, err := Open(o)
	if err != nil {
		return Report{}, err
	}
	report, err := stage.runAll(ctx)
	return report, errors.Join(err, stage.Close())
}

func (s *Stage) runAll(ctx context.Context) (Report, error) {
	var report Report
	loaded, err := s.Manifests()
	if err != nil {
		return report, err
	}
	for _, m := range loaded {
		if len(m.Examples) == 0 {
			report.Without = append(report.Without, m.Name)
		}
		for _, e := range m.Examples {
			outcome := Outcome{Tool: m.Name, Source: m.Source, Title: e.Title, Status: NotRun}
			if m.MCP == nil && (s.online != nil || !e.Network) {
				if err := s.run(ctx, m, e, &outcome); err != nil {
					return report, err
				}
			}
			report.Outcomes = append(report.Outcomes, outcome)
		}
	}
	return report, nil
}

// run runs one example. It returns an error if the host fails or ctx is cancelled.
func (s *Stage) run(ctx context.Context, m standard.LoadedManifest, e manifests.Example, outcome *Outcome) (err error) {
	c, problem, err := s.Begin(ctx, m, e)
	switch {
	case err != nil:
		return err
	case problem != nil:
		outcome.fail("%s", problem)
		return nil
	}
	defer func() { err = cmp.Or(err, c.Close()) }()
	began := time.Now()
	for i, arguments := range e.Before {
		if ran := c.Call(ctx, arguments, 0); ran.Err != nil {
			outcome.fail("call %d in `before` failed with %s:\n%s", i+1, tool.CodeOf(ran.Err), ran.Result.Text())
		}
	}
	ran := c.Call(ctx, e.Arguments, 0)
	outcome.DurationMS = time.Since(began).Milliseconds()
	if ctx.Err() != nil {
		return ran.Err
	}
	outcome.Diagnostics = ran.Diagnostics.Text(ran.Err)
	w, wanted := c.world, c.world.end()
	if w.recorder != nil {
		w.recorder.report(outcome)
	}
	if w.answers != nil && w.answers.report(outcome) {
		return nil // what follows would be mismatches with the same cause
	}
	outcome.compare(e, ran.Result, ran.Err)
	outcome.compareFiles(e, c.mounts)
	if err := compareStore(ctx, s.stores, c.space, e.StoreAfter, outcome); err != nil {
		return err
	}
	if w.answers != nil {
		w.answers.reportUnused(outcome)
	}
	if wanted != "" && len(outcome.Mismatches) > 0 {
		outcome.fail("the tool sends requests to %s, and the example has no answers; write [[examples.http]], or network = true to record them with --record", wanted)
	}
	if len(outcome.Mismatches) == 0 {
		outcome.Status = Passed
	}
	return nil
}

// maxMismatch limits the bytes of a mismatch, because a tool may return megabytes.
const maxMismatch = 8 << 10

// fail marks the example as failed and records a mismatch.
func (o *Outcome) fail(format string, args ...any) {
	o.Status = Failed
	o.Mismatches = append(o.Mismatches, plaintext.Short(fmt.Sprintf(format, args...), maxMismatch))
}
