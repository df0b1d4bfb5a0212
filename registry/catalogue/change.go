package catalogue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// Register adds a tool. The Catalogue owns the executor from then on; when Register
// fails, the caller still does. It fails with an *Error of the code
// invalid_manifest when the spec does not hold, or when the name or an alias is
// taken: the tool that was there stays as it was.
func (c *Catalogue) Register(spec tool.Spec, executor tool.Executor) error {
	t, err := newTool(spec, executor)
	if err != nil {
		return err
	}
	t.CreatedAt = time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.put(t, nil)
}

// Replace puts a tool in the place of the one of this name, which must be there: taking a
// name over is never an accident. The new tool may have another name; the old one goes in
// the same step. Calls that run finish on the old one; its executor is closed, and the
// Logger told if it does not close. The tool stays disabled if it was. The Diff says what
// changed. Ownership of the executor and errors are as for Register; not_found when there
// is nothing to replace.
func (c *Catalogue) Replace(name string, spec tool.Spec, executor tool.Executor) (Diff, error) {
	t, err := newTool(spec, executor)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	old := c.names[name]
	if old == nil || old.Spec.Name != name { // aliases do not count
		err = c.notFound(name)
	} else {
		err = c.succeed(t, old)
	}
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := old.Executor.Close(); err != nil {
		c.log.Error("the executor of a tool that was replaced does not close", "tool", name, "error", err)
	}
	return diff(old.Spec, t.Spec), nil
}

// Patch changes parts of a tool: a nil field leaves what is there.
type Patch struct {
	Title, Version, Description, Category, Confirm *string
	// Tags and Aliases take the place of those that are there.
	Tags, Aliases *[]string
	Parameters    *json.RawMessage
	Result        *json.RawMessage
	Timeout       *time.Duration
	Dangerous     *bool
}

// Update changes parts of a tool and checks the whole again. Nothing changes when
// that fails, with the errors of Register, or not_found. Calls that run are not
// touched.
func (c *Catalogue) Update(name string, p Patch) (Diff, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.find(name)
	if old == nil {
		return nil, c.notFound(name)
	}
	spec := old.Spec.Clone()
	set(&spec.Title, p.Title)
	set(&spec.Version, p.Version)
	set(&spec.Description, p.Description)
	set(&spec.Category, p.Category)
	set(&spec.Confirm, p.Confirm)
	set(&spec.Tags, p.Tags)
	set(&spec.Aliases, p.Aliases)
	set(&spec.Parameters, p.Parameters)
	set(&spec.Result, p.Result)
	set(&spec.Timeout, p.Timeout)
	set(&spec.Dangerous, p.Dangerous)
	t, err := newTool(spec, old.Executor)
	if err != nil {
		return nil, err
	}
	if err := c.succeed(t, old); err != nil {
		return nil, err
	}
	return diff(old.Spec, t.Spec), nil
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// succeed puts t in the place of old with what a change leaves: when the tool was registered
// and whether it is switched off. The lock is held.
func (c *Catalogue) succeed(t, old *Tool) error {
	t.CreatedAt, t.Disabled = old.CreatedAt, old.Disabled
	return c.put(t, old)
}

// put enters t in the place of old, which may be nil. The lock is held.
func (c *Catalogue) put(t, old *Tool) error {
	if c.closed {
		return errClosed(t.Spec.Name)
	}
	for _, key := range t.keys() {
		if owner, taken := c.names[key]; taken && owner != old {
			return &tool.Error{
				Code: tool.CodeInvalidManifest, Tool: t.Spec.Name,
				Message: fmt.Sprintf("the name %q is taken by the tool %s (%s)", key, owner.Spec.Name, owner.Spec.Source),
			}
		}
	}
	if old != nil {
		c.remove(old)
	}
	c.registrations++
	t.Registration = RegistrationPrefix + strconv.FormatUint(c.registrations, 10)
	at, _ := c.place(t)
	c.tools = slices.Insert(c.tools, at, t)
	for _, key := range t.keys() {
		c.names[key] = t
	}
	c.hooks.Changed()
	return nil
}

// remove takes t and its names out. The lock is held.
func (c *Catalogue) remove(t *Tool) {
	if at, ok := c.place(t); ok {
		c.tools = slices.Delete(c.tools, at, at+1)
	}
	for _, key := range t.keys() {
		delete(c.names, key)
	}
}

// place returns where t is among the tools, or belongs. The lock is held.
func (c *Catalogue) place(t *Tool) (at int, there bool) {
	return slices.BinarySearchFunc(c.tools, t.Spec.Name, func(t *Tool, name string) int { return strings.Compare(t.Spec.Name, name) })
}

// Unregister removes a tool by its name or an alias and reports whether it was
// there. Calls that run finish; later ones fail with not_found. The error is that of
// closing its executor.
func (c *Catalogue) Unregister(name string) (bool, error) {
	c.mu.Lock()
	t := c.find(name)
	if t != nil {
		c.remove(t)
		c.hooks.Changed()
	}
	c.mu.Unlock()
	if t == nil {
		return false, nil
	}
	return true, t.Executor.Close()
}

// Disable switches a tool off: it is hidden from List, and calling it fails with
// disabled. Calls that run finish. It fails with not_found.
func (c *Catalogue) Disable(name string) error { return c.switchTool(name, true) }

// Enable switches a tool on again. It fails with not_found.
func (c *Catalogue) Enable(name string) error { return c.switchTool(name, false) }

func (c *Catalogue) switchTool(name string, disabled bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.find(name)
	if old == nil {
		return c.notFound(name)
	}
	t := *old
	t.Disabled = disabled
	return c.put(&t, old)
}
