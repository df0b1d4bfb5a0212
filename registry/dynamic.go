package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/internal/definition"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// description is a definition that is still to be worked out. Entries that differ in other
// things only, such as being disabled, share it.
type description struct {
	mu      sync.Mutex
	attempt *attempt // that runs or succeeded; nil when none did
	failure error    // of the last attempt
	failed  time.Time
}

// describeAgain is how long a definition that could not be worked out is left as it was
// registered by those who only list tools: a guest that fails runs for some seconds each time,
// and clients list tools whenever they like. A call tries at once.
const describeAgain = 30 * time.Second

// attempt is one run of a tool's own function. Its fields are set once done is closed.
type attempt struct {
	done  chan struct{}
	entry *entry
	err   error
}

// join returns the attempt that there is, or begins one. Only success is kept.
func (d *description) join(describe func() (*entry, error)) *attempt {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.attempt != nil {
		return d.attempt
	}
	a := &attempt{done: make(chan struct{})}
	d.attempt = a
	go func() {
		defer close(a.done)
		if a.entry, a.err = describe(); a.err != nil {
			d.mu.Lock()
			d.attempt, d.failure, d.failed = nil, a.err, time.Now()
			d.mu.Unlock()
		}
	}()
	return a
}

// justFailed returns the failure of the last attempt, if that was a moment ago.
func (d *description) justFailed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.attempt == nil && d.failure != nil && time.Since(d.failed) < describeAgain {
		return d.failure
	}
	return nil
}

// described is the step that has the definition of a dynamic tool worked out, by whoever
// needs it first. All others wait for that; so long as ctx and the time for loading allow.
func (r *Registry) described(ctx context.Context, e *entry) (*entry, error) {
	if e.pending == nil {
		return e, nil
	}
	waiting, cancel := context.WithTimeout(ctx, r.opts.Tools.LoadTimeout)
	defer cancel()
	grant, may := r.describeGrant(waiting, e)
	if !may {
		return e, callerror.OfContext(ctx) // what the tool was registered with stands
	}
	a := e.pending.join(func() (*entry, error) { return r.describe(e, grant) })
	select {
	case <-a.done:
		return a.entry, a.err
	case <-waiting.Done():
	}
	if err := callerror.OfContext(ctx); err != nil {
		return nil, err
	}
	return nil, &tool.Error{
		Code: tool.CodeTimeout, Tool: e.spec.Name,
		Message: fmt.Sprintf("the tool's definition was not worked out within %v; try again, that goes on", r.opts.Tools.LoadTimeout),
	}
}

// describe works a definition out and enters it in the catalogue, unless the tool was
// changed or refreshed meanwhile. It serves all who wait, so that no caller's context counts.
func (r *Registry) describe(e *entry, grant capability.Grant) (*entry, error) {
	ctx, cancel := context.WithTimeout(context.Background(), r.opts.Tools.LoadTimeout)
	defer cancel()
	said, err := r.askDefinition(ctx, e, grant)
	if err != nil {
		failed := callerror.Named(err, e.spec.Name)
		failed.Message = "the tool's definition cannot be worked out: " + failed.Message
		return nil, failed
	}
	if e.spec.Sandboxed { // the words of a guest, perhaps of files that it read
		if err := r.cleanDefinition(e.spec.Name, &said); err != nil {
			return nil, err
		}
	}
	spec := e.base.Clone()
	if said.Description != "" {
		spec.Description = said.Description
	}
	if len(said.Parameters) > 0 {
		spec.Parameters = said.Parameters
	}
	if len(said.Result) > 0 {
		spec.Result = said.Result
	}
	if e.spec.Sandboxed { // it ran, and there is no receipt of that
		r.log.Info("a tool has described itself", "tool", e.spec.Name, "reached", grant.Words())
	}
	next, err := newEntry(spec, e.executor)
	if err != nil {
		return nil, err
	}
	next.base, next.pending = e.base, nil
	next.createdAt, next.disabled = e.createdAt, e.disabled
	r.mu.Lock()
	defer r.mu.Unlock()
	if current := r.entries[spec.Name]; current != nil && current.pending == e.pending {
		next.createdAt, next.disabled = current.createdAt, current.disabled
		if err := r.put(next, current); err != nil {
			return nil, err
		}
	}
	return next, nil
}

func (r *Registry) askDefinition(ctx context.Context, e *entry, grant capability.Grant) (d tool.Definition, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("panic in the definition of a tool", "tool", e.spec.Name, "panic", p, "stack", string(debug.Stack()))
			err = &tool.Error{Code: tool.CodeInternal, Message: "its function panicked"}
		}
	}()
	return e.executor.(tool.Dynamic).Describe(ctx, grant)
}

// cleanDefinition writes the characters that are not shown as escapes where readers alone are
// meant, and tells the Logger. Elsewhere, as in a name, they refuse the definition.
func (r *Registry) cleanDefinition(name string, d *tool.Definition) error {
	warn := func(field, what string) {
		r.log.Warn("a tool describes itself with characters that are not shown; they are escaped",
			"tool", name, "field", field, "reason", what)
	}
	if found, bad := plaintext.First(d.Description, plaintext.Lines); bad {
		warn("description", "holds "+found.String())
		d.Description = plaintext.Printable(d.Description)
	}
	for _, s := range []struct {
		field  string
		schema *json.RawMessage
	}{{"parameters", &d.Parameters}, {"result", &d.Result}} {
		clean, faults, refused := jsonschema.CleanTexts(*s.schema)
		if refused != nil {
			return definition.Fault(name, s.field, "the tool describes itself wrongly: %s: %s; leave it out", s.field, refused)
		}
		if len(faults) > 0 {
			warn(s.field, faults[0].String())
		}
		*s.schema = clean
	}
	return nil
}

// Describe has the definitions of dynamic tools worked out that are not yet, as a list of
// tools for a model needs them: of those named, or of all when none is. Tools that fail
// keep the definition that they were registered with and are told of in the error, a join
// of *Error; so are names that are not there. One that failed less than half a minute ago is
// told of and not tried again, unless Refresh or SetRules came between.
func (r *Registry) Describe(ctx context.Context, names ...string) error {
	var entries []*entry
	var errs []error
	for _, name := range names {
		e, err := r.resolve(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		entries = append(entries, e)
	}
	if len(names) == 0 {
		r.mu.RLock()
		for _, e := range r.entries {
			entries = append(entries, e)
		}
		r.mu.RUnlock()
	}
	failures := make([]error, len(entries))
	var waiting sync.WaitGroup
	for i, e := range entries {
		if e.pending == nil {
			continue
		}
		if failures[i] = e.pending.justFailed(); failures[i] == nil {
			waiting.Go(func() { _, failures[i] = r.described(ctx, e) })
		}
	}
	waiting.Wait()
	return errors.Join(append(errs, failures...)...)
}

// Refresh has the definition of a dynamic tool worked out again, because what it depends
// on has changed. Calls that begin from now on wait for the new one, and if it fails the
// next call tries again. The Diff says what changed. It fails with not_found, or with
// invalid_manifest for a tool that is not dynamic or whose new definition does not hold.
func (r *Registry) Refresh(ctx context.Context, name string) (Diff, error) {
	before, stale, err := r.outdate(name)
	if err != nil {
		return nil, err
	}
	after, err := r.described(ctx, stale)
	if err != nil {
		return nil, err
	}
	return diff(before.spec, after.spec), nil
}

// outdate puts an entry whose definition is to be worked out in the place of the one that
// there is.
func (r *Registry) outdate(name string) (before, stale *entry, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if before = r.find(name); before == nil {
		return nil, nil, r.notFound(name)
	}
	if _, ok := before.executor.(tool.Dynamic); !ok {
		return nil, nil, &tool.Error{
			Code: tool.CodeInvalidManifest, Tool: before.spec.Name, Message: "the tool is not dynamic: its definition does not change by itself; use Update",
		}
	}
	next := *before
	next.pending = &description{}
	return before, &next, r.put(&next, before)
}
