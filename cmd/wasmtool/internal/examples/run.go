package examples

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Options says which examples are run and how.
type Options struct {
	// Tools says where the tools come from and how modules are compiled and kept. What it
	// says of grants, policy, approvals and stores counts for nothing: an example has what
	// its manifest asks for.
	Tools standard.Options
	// Names are the tools whose examples are run, by name or alias; none means all.
	Names []string
	// Network lets examples reach servers. Without it those that say that they do are not
	// run, and the others reach none.
	Network bool
}

// Status says how an example went.
type Status string

// The ways.
const (
	// Passed: what came of the call is what the example says.
	Passed Status = "passed"
	// Failed: it is not; Outcome.Faults tell.
	Failed Status = "failed"
	// NotRun: the example reaches a server, and Options.Network is not set.
	NotRun Status = "not_run"
)

// Outcome is what came of one example.
type Outcome struct {
	// Tool is the name of the tool, Source where it is from, and Title that of the example.
	Tool   string `json:"tool"`
	Source string `json:"source"`
	Title  string `json:"title"`
	Status Status `json:"status"`
	// Faults say what is not as the example has it, each perhaps in several lines. They hold
	// what the tool wrote: make them harmless before a terminal sees them.
	Faults []string `json:"faults,omitempty"`
	// DurationMS is how long the call took, with those before it, in milliseconds.
	DurationMS int64 `json:"duration_ms"`
}

// Report is what came of all of them.
type Report struct {
	// Outcomes are in the order of the tools and of their manifests.
	Outcomes []Outcome
	// Without are the names of the tools that have no examples.
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

// Run runs examples, one after the other. An error means that they could not be run, and
// is an *Error of package tool where a tool is to blame; an example that fails is none.
func Run(ctx context.Context, o Options) (Report, error) {
	loaded, err := standard.Manifests(o.Tools)
	if err != nil {
		return Report{}, err
	}
	// The names of folders that programs may print are short and without links.
	dir, err := os.MkdirTemp("", "wasmtool-examples-")
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left is in the folder for such
	stage, err := newStage(o, dir, loaded)
	if err != nil {
		return Report{}, err
	}
	report, err := runAll(ctx, o, stage, loaded)
	return report, errors.Join(err, stage.tools.Close())
}

func runAll(ctx context.Context, o Options, s *stage, loaded []standard.LoadedManifest) (Report, error) {
	wanted := make(map[string]bool)
	for _, name := range o.Names {
		info, err := s.tools.Tools().Lookup(name)
		if err != nil {
			return Report{}, err
		}
		wanted[info.Name] = true
	}
	var report Report
	for _, m := range loaded {
		if len(wanted) > 0 && !wanted[m.Name] {
			continue
		}
		if len(m.Examples) == 0 {
			report.Without = append(report.Without, m.Name)
		}
		for _, e := range m.Examples {
			outcome := Outcome{Tool: m.Name, Source: m.Source, Title: e.Title, Status: NotRun}
			if o.Network || !e.Network {
				if err := s.run(ctx, m, e, &outcome); err != nil {
					return report, err
				}
			}
			report.Outcomes = append(report.Outcomes, outcome)
		}
	}
	return report, nil
}

// run runs one example. The error is that of the host, or of a caller who gave up.
func (s *stage) run(ctx context.Context, m standard.LoadedManifest, e manifests.Example, outcome *Outcome) (err error) {
	s.count++
	dir := filepath.Join(s.dir, fmt.Sprintf("example-%d", s.count))
	mounts, err := openMounts(dir, m.Permissions)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, mounts.close()) }()
	if err := mounts.write(e.Files, cmp.Or(e.Now, firstFileTime)); err != nil {
		return err
	}
	tenant := s.tools.Tenant(filepath.Base(dir), registry.TenantOptions{Mounts: mounts.offered(), Now: e.Now})
	began := time.Now()
	for i, arguments := range e.Before {
		result, err := tenant.Execute(ctx, tool.Call{Tool: m.Name, Arguments: arguments})
		if err != nil {
			outcome.fail("call %d of before fails with %s:\n%s", i+1, tool.CodeOf(err), result.Text())
		}
	}
	result, callErr := tenant.Execute(ctx, tool.Call{Tool: m.Name, Arguments: e.Arguments})
	outcome.DurationMS = time.Since(began).Milliseconds()
	if ctx.Err() != nil {
		return callErr
	}
	outcome.compare(e, result, callErr)
	outcome.compareFiles(e, mounts)
	if len(outcome.Faults) == 0 {
		outcome.Status = Passed
	}
	return nil
}

// maxFault is how long a fault may be, in bytes: a tool may return megabytes.
const maxFault = 8 << 10

// fail notes a fault.
func (o *Outcome) fail(format string, args ...any) {
	o.Status = Failed
	o.Faults = append(o.Faults, plaintext.Short(fmt.Sprintf(format, args...), maxFault))
}
