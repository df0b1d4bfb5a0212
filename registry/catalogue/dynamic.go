package catalogue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/internal/definition"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// description runs Describe for a dynamic tool and keeps the outcome. Copies of a Tool that differ
// only in other fields, such as Disabled, share one description.
type description struct {
	mu   sync.Mutex
	last *attempt // nil if there was no attempt
}

// describeRetry is the time after a failed description in which listing tools does not run Describe
// again. A failing guest may run for seconds each time, and clients list tools as often as they
// like. A call of the tool runs Describe again at once.
const describeRetry = 30 * time.Second

// attempt is one run of a tool's Describe. Its other fields are set when done is closed.
type attempt struct {
	done chan struct{}
	tool *Tool
	err  error
	// time of the failure; zero if the attempt has not failed; guarded by the lock of the
	// description
	failed time.Time
}

// join returns the attempt that is running or has succeeded, or starts one.
func (d *description) join(describe func() (*Tool, error)) *attempt {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.last; a != nil && a.failed.IsZero() {
		return a
	}
	a := &attempt{done: make(chan struct{})}
	d.last = a
	go func() {
		defer close(a.done)
		if a.tool, a.err = describe(); a.err != nil {
			d.mu.Lock()
			a.failed = time.Now()
			d.mu.Unlock()
		}
	}()
	return a
}

// justFailed returns the error of the last attempt, if it failed less than describeRetry ago.
func (d *description) justFailed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.last; a != nil && !a.failed.IsZero() && time.Since(a.failed) < describeRetry {
		return a.err
	}
	return nil
}

// Described returns the tool with its full definition. If a dynamic tool has not described itself
// yet, Described runs its Describe, once for all concurrent callers. A tool that is not allowed to
// describe itself keeps its registered definition. Described returns the error of ctx or of the
// tool. After Options.LoadTimeout it fails with the code timeout.
func (c *Catalogue) Described(ctx context.Context, t *Tool) (*Tool, error) {
	if t.pending == nil {
		return t, nil
	}
	waiting, cancel := context.WithTimeout(ctx, c.opts.LoadTimeout)
	defer cancel()
	grant, may := c.mayDescribe(waiting, t)
	if !may {
		return t, callerror.OfContext(ctx) // the registered definition applies
	}
	a := t.pending.join(func() (*Tool, error) { return c.describe(t, grant) })
	select {
	case <-a.done:
		return a.tool, a.err
	case <-waiting.Done():
	}
	if err := callerror.OfContext(ctx); err != nil {
		return nil, err
	}
	return nil, &tool.Error{
		Code: tool.CodeTimeout, Tool: t.Spec.Name,
		Message: fmt.Sprintf("the tool did not describe itself within %v; Describe continues in the background, so try again later", c.opts.LoadTimeout),
	}
}

// mayDescribe returns the access that a tool gets while it describes itself, and whether it may
// describe itself at all.
func (c *Catalogue) mayDescribe(ctx context.Context, t *Tool) (capability.Grant, bool) {
	switch {
	case !t.Spec.Sandboxed:
		return capability.Grant{}, true
	case c.opts.NoDescriptions || t.Disabled:
		return capability.Grant{}, false
	}
	return c.hooks.MayDescribe(ctx, t)
}

// describe asks a tool for its definition and updates the catalogue, unless the tool was changed or
// refreshed meanwhile. It does not use a caller's context, because several callers may wait for the
// definition.
func (c *Catalogue) describe(t *Tool, grant capability.Grant) (*Tool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), c.opts.LoadTimeout)
	defer cancel()
	answer, err := c.askDefinition(ctx, t, grant)
	if err != nil {
		failed := callerror.Named(err, t.Spec.Name)
		failed.Message = "the tool failed to describe itself: " + failed.Message
		return nil, failed
	}
	if t.Spec.Sandboxed { // a guest wrote the definition, perhaps from files that it read
		if err := c.cleanDefinition(t.Spec.Name, &answer); err != nil {
			return nil, err
		}
		// There is no receipt of this run, so the log records what the guest could access.
		c.log.Info("a tool has described itself", "tool", t.Spec.Name, "reached", grant.Permissions())
	}
	spec := t.base.Clone()
	spec.Description = cmp.Or(answer.Description, spec.Description)
	if len(answer.Parameters) > 0 {
		spec.Parameters = answer.Parameters
	}
	if len(answer.Result) > 0 {
		spec.Result = answer.Result
	}
	next, err := newTool(spec, t.Executor)
	if err != nil {
		return nil, err
	}
	next.base, next.pending = t.base, nil
	next.CreatedAt, next.Disabled = t.CreatedAt, t.Disabled
	c.mu.Lock()
	defer c.mu.Unlock()
	if current := c.names[spec.Name]; current != nil && current.pending == t.pending {
		if err := c.succeed(next, current); err != nil {
			return nil, err
		}
	}
	return next, nil
}

func (c *Catalogue) askDefinition(ctx context.Context, t *Tool, grant capability.Grant) (d tool.Definition, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("a tool panicked while describing itself", "tool", t.Spec.Name, "panic", p, "stack", string(debug.Stack()))
			err = &tool.Error{Code: tool.CodeInternal, Message: "its Describe panicked"}
		}
	}()
	return t.Executor.(tool.Dynamic).Describe(ctx, grant)
}

// cleanDefinition escapes invisible characters in descriptions, and logs a warning. It refuses a
// definition with invisible characters elsewhere, such as in the name of a parameter.
func (c *Catalogue) cleanDefinition(name string, d *tool.Definition) error {
	warn := func(field, what string) {
		c.log.Warn("escaped invisible characters in a tool's description of itself",
			"tool", name, "field", field, "reason", what)
	}
	if found, bad := plaintext.First(d.Description, plaintext.Lines); bad {
		warn("description", "contains "+found.String())
		d.Description = plaintext.Printable(d.Description)
	}
	for _, s := range []struct {
		field  string
		schema *json.RawMessage
	}{{"parameters", &d.Parameters}, {"result", &d.Result}} {
		clean, faults, refused := jsonschema.CleanTexts(*s.schema)
		if refused != nil {
			return definition.FieldError(name, s.field, "the tool's description of itself is invalid: %s: %s; leave it out", s.field, refused)
		}
		if len(faults) > 0 {
			warn(s.field, faults[0].String())
		}
		*s.schema = clean
	}
	return nil
}

// Describe asks the named tools to describe themselves, or all tools if there are no names. It asks
// only dynamic tools that have not described themselves yet. Call it before listing tools for a
// model. A tool that fails keeps its registered definition. The error joins an *Error for each
// failed tool and each unknown name. Describe does not ask a tool again that failed less than 30
// seconds ago, but returns the same error. After Refresh or SetRules, it asks the tool again at
// once.
func (c *Catalogue) Describe(ctx context.Context, names ...string) error {
	var tools []*Tool
	var errs []error
	for _, name := range names {
		t, err := c.Find(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		tools = append(tools, t)
	}
	if len(names) == 0 {
		tools = c.all()
	}
	failures := make([]error, len(tools))
	var waiting sync.WaitGroup
	for i, t := range tools {
		if t.pending == nil {
			continue
		}
		if failures[i] = t.pending.justFailed(); failures[i] == nil {
			waiting.Go(func() { _, failures[i] = c.Described(ctx, t) })
		}
	}
	waiting.Wait()
	return errors.Join(append(errs, failures...)...)
}

// Refresh asks a dynamic tool to describe itself again. Call it when something that the definition
// depends on has changed. Calls that begin from now on wait for the new definition. If Refresh
// fails, the next call tries again. The Diff lists the changes. Refresh fails with not_found, and
// with invalid_manifest if the tool is not dynamic or its new definition is invalid.
func (c *Catalogue) Refresh(ctx context.Context, name string) (Diff, error) {
	before, stale, err := c.outdate(name)
	if err != nil {
		return nil, err
	}
	after, err := c.Described(ctx, stale)
	if err != nil {
		return nil, err
	}
	return diff(before.Spec, after.Spec), nil
}

// outdate replaces a tool with a copy that has not described itself yet.
func (c *Catalogue) outdate(name string) (before, stale *Tool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before = c.find(name); before == nil {
		return nil, nil, c.notFound(name)
	}
	if _, ok := before.Executor.(tool.Dynamic); !ok {
		return nil, nil, &tool.Error{
			Code: tool.CodeInvalidManifest, Tool: before.Spec.Name, Message: "the tool is not dynamic, so its definition cannot be refreshed; use Update",
		}
	}
	next := *before
	next.pending = &description{}
	return before, &next, c.put(&next, before)
}

// ForgetDescriptions resets tools in the sandbox to their registered definitions. The registry
// calls it when the rules have changed, because a description may disclose the contents of
// directories that the new rules no longer grant.
func (c *Catalogue) ForgetDescriptions() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range slices.Clone(c.tools) {
		// Tools that are describing themselves are also reset, because they still use the old
		// rules.
		if _, dynamic := t.Executor.(tool.Dynamic); !dynamic || !t.Spec.Sandboxed {
			continue
		}
		next, err := newTool(t.base, t.Executor)
		if err == nil {
			err = c.succeed(next, t)
		}
		if err != nil { // cannot happen: the definition was valid when it was registered
			c.log.Error("cannot reset the description of a tool", "tool", t.Spec.Name, "error", err)
		}
	}
	c.hooks.Changed()
}
