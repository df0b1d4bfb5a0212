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

// description is a definition that is still to be worked out. Tools that differ in other
// things only, such as being disabled, share it.
type description struct {
	mu   sync.Mutex
	last *attempt // nil when there was none
}

// describeAgain is how long a definition that could not be worked out is left as it was
// registered by those who only list tools: a guest that fails runs for some seconds each time,
// and clients list tools whenever they like. A call tries at once.
const describeAgain = 30 * time.Second

// attempt is one run of a tool's own function. Its fields are set once done is closed.
type attempt struct {
	done   chan struct{}
	tool   *Tool
	err    error
	failed time.Time // zero while it runs and when it succeeded; guarded by the description
}

// join returns the attempt that runs or succeeded, or begins one.
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

// justFailed returns the failure of the last attempt, if that was a moment ago.
func (d *description) justFailed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.last; a != nil && !a.failed.IsZero() && time.Since(a.failed) < describeAgain {
		return a.err
	}
	return nil
}

// Described returns the tool with its definition worked out: for a dynamic tool that has not
// described itself yet, that runs its own function, once for all who wait for it. A tool that
// may not describe itself stays as it was registered. Errors are those of ctx, timeout after
// Options.LoadTimeout, and those of the tool.
func (c *Catalogue) Described(ctx context.Context, t *Tool) (*Tool, error) {
	if t.pending == nil {
		return t, nil
	}
	waiting, cancel := context.WithTimeout(ctx, c.opts.LoadTimeout)
	defer cancel()
	grant, may := c.mayDescribe(waiting, t)
	if !may {
		return t, callerror.OfContext(ctx) // what the tool was registered with stands
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
		Message: fmt.Sprintf("the tool's definition was not worked out within %v; try again, that goes on", c.opts.LoadTimeout),
	}
}

// mayDescribe is what a tool may reach to describe itself, and whether it may do so at all.
func (c *Catalogue) mayDescribe(ctx context.Context, t *Tool) (capability.Grant, bool) {
	switch {
	case !t.Spec.Sandboxed:
		return capability.Grant{}, true
	case c.opts.NoDescriptions || t.Disabled:
		return capability.Grant{}, false
	}
	return c.hooks.MayDescribe(ctx, t)
}

// describe works a definition out and enters it in the catalogue, unless the tool was
// changed or refreshed meanwhile. It serves all who wait, so that no caller's context counts.
func (c *Catalogue) describe(t *Tool, grant capability.Grant) (*Tool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), c.opts.LoadTimeout)
	defer cancel()
	said, err := c.askDefinition(ctx, t, grant)
	if err != nil {
		failed := callerror.Named(err, t.Spec.Name)
		failed.Message = "the tool's definition cannot be worked out: " + failed.Message
		return nil, failed
	}
	if t.Spec.Sandboxed { // the words of a guest, perhaps of files that it read
		if err := c.cleanDefinition(t.Spec.Name, &said); err != nil {
			return nil, err
		}
		// It ran, and there is no receipt of that.
		c.log.Info("a tool has described itself", "tool", t.Spec.Name, "reached", grant.Permissions())
	}
	spec := t.base.Clone()
	spec.Description = cmp.Or(said.Description, spec.Description)
	if len(said.Parameters) > 0 {
		spec.Parameters = said.Parameters
	}
	if len(said.Result) > 0 {
		spec.Result = said.Result
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
			c.log.Error("panic in the definition of a tool", "tool", t.Spec.Name, "panic", p, "stack", string(debug.Stack()))
			err = &tool.Error{Code: tool.CodeInternal, Message: "its function panicked"}
		}
	}()
	return t.Executor.(tool.Dynamic).Describe(ctx, grant)
}

// cleanDefinition writes the characters that are not shown as escapes where readers alone are
// meant, and tells the Logger. Elsewhere, as in a name, they refuse the definition.
func (c *Catalogue) cleanDefinition(name string, d *tool.Definition) error {
	warn := func(field, what string) {
		c.log.Warn("a tool describes itself with characters that are not shown; they are escaped",
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
			return definition.FieldError(name, s.field, "the tool describes itself wrongly: %s: %s; leave it out", s.field, refused)
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
// told of and not tried again, unless Refresh or new rules came between.
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

// Refresh has the definition of a dynamic tool worked out again, because what it depends
// on has changed. Calls that begin from now on wait for the new one, and if it fails the
// next call tries again. The Diff says what changed. It fails with not_found, or with
// invalid_manifest for a tool that is not dynamic or whose new definition does not hold.
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

// outdate puts a tool whose definition is to be worked out in the place of the one that
// there is.
func (c *Catalogue) outdate(name string) (before, stale *Tool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before = c.find(name); before == nil {
		return nil, nil, c.notFound(name)
	}
	if _, ok := before.Executor.(tool.Dynamic); !ok {
		return nil, nil, &tool.Error{
			Code: tool.CodeInvalidManifest, Tool: before.Spec.Name, Message: "the tool is not dynamic: its definition does not change by itself; use Update",
		}
	}
	next := *before
	next.pending = &description{}
	return before, &next, c.put(&next, before)
}

// ForgetDescriptions puts tools in the sandbox back to what they were registered with, after
// the rules have changed: what they told of themselves is of folders that other rules may
// take away.
func (c *Catalogue) ForgetDescriptions() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range slices.Clone(c.tools) {
		// Also those that wait for a description: it may be one under the old rules.
		if _, dynamic := t.Executor.(tool.Dynamic); !dynamic || !t.Spec.Sandboxed {
			continue
		}
		next, err := newTool(t.base, t.Executor)
		if err == nil {
			err = c.succeed(next, t)
		}
		if err != nil { // it held when it was registered
			c.log.Error("a tool keeps its description", "tool", t.Spec.Name, "error", err)
		}
	}
	c.hooks.Changed()
}
