package check

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/examples"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Options are the arguments of Run.
type Options struct {
	// Examples selects the tools, and says how their calls run. Network and Record are ignored.
	Examples examples.Options
	// Seed chooses the calls. Equal seeds make equal calls, as far as the time allows.
	Seed uint64
	// OnLoadError receives the error of each tool that cannot be loaded when it is called. The
	// other tools are checked.
	OnLoadError func(error)
	// Time limits the calls of one tool. Making an input smaller may take as long again.
	Time time.Duration
}

const (
	// maxCalls limits the generated calls of a tool, so that a fast tool takes less than
	// Options.Time.
	maxCalls = 400
	// shrinkTries limits the calls that make one input smaller.
	shrinkTries = 500
	// timeoutPart is the part of Options.Time that a call may take, at least minTimeout.
	timeoutPart = 4
	minTimeout  = time.Second
	// One of repeatEvery calls is repeated to compare the results.
	repeatEvery = 3
	// One of growthEvery calls is repeated several times in one world.
	growthEvery = 100
)

// Run checks tools one at a time. It returns an error if they cannot be checked. The error is a
// [tool.Error] if a tool is the cause.
func Run(ctx context.Context, o Options) (Report, error) {
	o.Examples.Network, o.Examples.Record = false, false
	report := Report{Seed: o.Seed, Tools: []Tool{}}
	stage, err := examples.Open(o.Examples)
	if err != nil {
		return report, err
	}
	err = func() error {
		loaded, err := stage.Manifests()
		if err != nil {
			return err
		}
		for _, m := range loaded {
			checked, err := checkTool(ctx, o, stage, m)
			if unloadable(err) {
				o.OnLoadError(err)
				continue
			}
			if err != nil {
				return err
			}
			report.Tools = append(report.Tools, checked)
		}
		return nil
	}()
	return report, errors.Join(err, stage.Close())
}

// unloadable reports whether err means that the tool cannot be loaded.
func unloadable(err error) bool {
	code := tool.CodeOf(err)
	return code == tool.CodeInvalidModule || code == tool.CodeInvalidManifest
}

// subject is the tool that is checked.
type subject struct {
	stage *examples.Stage
	m     standard.LoadedManifest
	info  catalogue.Info
	// schema is the schema of the arguments.
	schema *jsonschema.Schema
	rand   *rand.Rand
	found  map[string]bool // the findings by kind and code
	calls  int
	uses   uses
	// timeout limits each call, and patience the calls that make an input smaller.
	timeout, patience time.Duration
	report            Tool
}

// checkTool checks one tool. A tool of an MCP server runs elsewhere, and the server has its schema.
func checkTool(ctx context.Context, o Options, stage *examples.Stage, m standard.LoadedManifest) (Tool, error) {
	began := time.Now()
	if m.MCP != nil {
		return Tool{Name: m.Name, Source: m.Source, Findings: []Finding{}}, nil
	}
	info, err := stage.Info(m.Name)
	if err != nil {
		return Tool{}, err
	}
	name := fnv.New64a()
	_, _ = name.Write([]byte(m.Name)) // never fails
	s := &subject{
		stage: stage, m: m, info: info, rand: rand.New(rand.NewPCG(o.Seed, name.Sum64())), found: make(map[string]bool), uses: uses{rules: make(map[string]bool)},
		timeout: min(cmp.Or(info.Timeout, tool.DefaultTimeout), max(o.Time/timeoutPart, minTimeout)), patience: o.Time,
		report: Tool{Name: m.Name, Source: m.Source, Findings: []Finding{}},
	}
	schema := info.Parameters
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	if s.schema, err = jsonschema.CompileParameters(schema); err != nil {
		return Tool{}, err // the registry has accepted it
	}
	s.descriptions()
	s.providers()
	if err := s.callAll(ctx, o.Time); err != nil {
		return Tool{}, err
	}
	s.permissions()
	s.report.Calls, s.report.Succeeded, s.report.DurationMS = s.calls, s.uses.succeeded, time.Since(began).Milliseconds()
	return s.report, nil
}

// callAll makes the calls of the examples, then generated calls.
func (s *subject) callAll(ctx context.Context, limit time.Duration) error {
	worlds := slices.DeleteFunc(slices.Clone(s.m.Examples), func(e manifests.Example) bool { return e.Network })
	for _, e := range worlds {
		if err := s.try(ctx, e, true, false); err != nil {
			return err
		}
	}
	// Compiling the tool is not a part of the time.
	deadline := time.Now().Add(limit)
	n := &calls{generator: newGenerator(s.schema.Tree(), words(worlds), s.rand), worlds: worlds, m: s.m}
	for i := 0; i < maxCalls && time.Now().Before(deadline); i++ {
		e, ok := n.next(func(raw json.RawMessage) bool { return s.valid(ctx, raw) })
		if !ok {
			continue
		}
		if err := s.try(ctx, e, i%repeatEvery == 0, i%growthEvery == 0); err != nil {
			return err
		}
	}
	return nil
}

// valid reports whether the schema allows arguments as they are.
func (s *subject) valid(ctx context.Context, raw json.RawMessage) bool {
	prepared, err := s.schema.Prepare(ctx, raw)
	return err == nil && len(prepared.Warnings) == 0
}

// outcome is the end of a call, with the mistakes that it shows.
type outcome struct {
	examples.Ran
	unanswered bool
	finding    Finding // Kind is "" if there is none
	code       string  // distinguishes findings of a kind
}

// call makes the calls of an example, which is valid, and repeats the last one. It makes fewer
// calls if they are slow.
func (s *subject) call(ctx context.Context, e manifests.Example, times int) ([]outcome, error) {
	scene, problem, err := s.stage.Begin(ctx, s.m, e)
	if err != nil || problem != nil {
		return nil, cmp.Or(err, problem)
	}
	for _, before := range e.Before {
		scene.Call(ctx, before, s.timeout)
	}
	var list []outcome
	for began := time.Now(); len(list) < times && (list == nil || time.Since(began) < s.timeout); s.calls++ {
		list = append(list, outcome{Ran: scene.Call(ctx, e.Object(), s.timeout)})
	}
	unanswered := scene.Unanswered()
	if err := errors.Join(scene.Close(), ctx.Err()); err != nil {
		return nil, err
	}
	for i := range list {
		if unloadable(list[i].Err) {
			return nil, list[i].Err
		}
		list[i].unanswered = unanswered
		list[i].finding, list[i].code = s.judge(list[i].Ran, unanswered)
	}
	return list, nil
}

// try makes the calls of one example and records what is wrong. With again it also compares the
// results of equal calls, and with grows it looks for memory that grows from call to call.
func (s *subject) try(ctx context.Context, e manifests.Example, again, grows bool) error {
	ends, err := s.call(ctx, e, 1)
	if err != nil {
		return err
	}
	end := ends[0]
	s.uses.add(end)
	if end.finding.Kind != "" {
		return s.add(ctx, e, end, func(e manifests.Example) (outcome, error) {
			ends, err := s.call(ctx, e, 1)
			if err != nil {
				return outcome{}, err
			}
			return ends[0], nil
		})
	}
	if again {
		twice := func(e manifests.Example) (outcome, error) { return s.twice(ctx, e) }
		if end, err = twice(e); err != nil || end.finding.Kind != "" {
			return cmp.Or(err, s.add(ctx, e, end, twice))
		}
	}
	if grows && end.Err == nil {
		grown := func(e manifests.Example) (outcome, error) { return s.growth(ctx, e) }
		if end, err = grown(e); err != nil || end.finding.Kind != "" {
			return cmp.Or(err, s.add(ctx, e, end, grown))
		}
	}
	return nil
}

// add records a finding that no earlier call has shown, with the smallest example for which again
// has the same finding.
func (s *subject) add(ctx context.Context, e manifests.Example, end outcome, again func(manifests.Example) (outcome, error)) error {
	key := string(end.finding.Kind) + " " + end.code
	if end.finding.Kind == "" || s.found[key] || slices.ContainsFunc(s.m.Examples, func(known manifests.Example) bool { return known.Error != "" && known.Error == end.code }) {
		return nil // an author who expects an error in an example knows it
	}
	if end.code == string(tool.CodeTimeout) {
		if other, err := again(e); err != nil || other.code != end.code {
			return err // the machine was busy
		}
	}
	s.found[key] = true
	deadline := time.Now().Add(s.patience)
	var failed error
	e = shrink(e, shrinkTries, func(smaller manifests.Example) bool {
		if failed != nil || time.Now().After(deadline) || !s.valid(ctx, smaller.Object()) {
			return false
		}
		other, err := again(smaller)
		if failed = err; err != nil || other.finding.Kind != end.finding.Kind || other.code != end.code {
			return false
		}
		end = other
		return true
	})
	if failed != nil {
		return failed
	}
	f := end.finding
	f.Arguments = e.Object()
	if f.Kind == Memory && end.code == growth {
		f.Message += "; the arguments are " + string(f.Arguments) // an example shows no memory
	} else {
		f.Example = s.entry(e, f.Kind)
	}
	s.record(f)
	return nil
}

// record adds a finding to the report.
func (s *subject) record(f Finding) {
	f.Tool, f.Source = s.m.Name, s.m.Source
	s.report.Findings = append(s.report.Findings, f)
}

// entry returns the call as [[examples]] of the manifest.
func (s *subject) entry(e manifests.Example, kind Kind) string {
	e.Title, e.Output = fmt.Sprintf("Found by check: %s", kind), "what this call should return"
	if n := len(s.report.Findings); n > 0 {
		e.Title += fmt.Sprintf(" %d", n+1) // titles are unique
	}
	text, err := examples.Entry(e)
	if err != nil {
		return fmt.Sprintf("# A manifest cannot have this call, because %s. Its arguments are\n# %s\n", err, strings.ReplaceAll(string(e.Object()), "\n", " "))
	}
	return text
}
