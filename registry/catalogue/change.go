package catalogue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Register adds a tool. If the spec is invalid, or if another tool has its name or one of its
// aliases, Register fails with an *Error with the code invalid_manifest, and the other tool stays
// unchanged. The Catalogue owns the executor unless Register fails.
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

// Replace puts a new tool in place of the named tool, in one step. It fails with not_found if there
// is no such tool, so that callers cannot take over a name by accident. The new tool may have a
// different name. Running calls finish on the old tool. Replace closes the old executor and logs an
// error if that fails. If the old tool was disabled, the new tool is too. The Diff lists the
// changes. Ownership of the executor and other errors are as for [Catalogue.Register].
func (c *Catalogue) Replace(name string, spec tool.Spec, executor tool.Executor) (Diff, error) {
	t, err := newTool(spec, executor)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	old := c.names[name]
	if old == nil || old.Spec.Name != name { // the name must not be an alias
		err = c.notFound(name)
	} else {
		err = c.succeed(t, old)
	}
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := old.Executor.Close(); err != nil {
		c.log.Error("cannot close the executor of a replaced tool", "tool", name, "error", err)
	}
	return diff(old.Spec, t.Spec), nil
}

// Configure changes settings of a tool, by name, until the program ends or the tool is replaced.
// Settings that are not named keep their values. If a value changes, the tool is replaced as with
// [Catalogue.Replace], and may then request other permissions. It fails with not_found, with the
// errors of [Catalogue.Register], and with invalid_argument for an unknown setting, an invalid
// value, and a tool whose settings cannot change.
func (c *Catalogue) Configure(name string, values map[string]string) error {
	for {
		old, err := c.Find(name)
		if err != nil {
			return err
		}
		if !changes(old.Spec, values) {
			return nil
		}
		done, err := c.configure(old, values)
		if done || err != nil {
			return err
		}
	}
}

// changes reports whether values has a value that differs from a setting of the tool, or that is
// for an unknown setting.
func changes(spec tool.Spec, values map[string]string) bool {
	same := 0
	for _, s := range spec.Settings {
		if value, named := values[s.Name]; named && value == s.Value {
			same++
		}
	}
	return same < len(values)
}

// configure replaces old by a tool with other settings. It returns false if old is no longer
// registered.
func (c *Catalogue) configure(old *Tool, values map[string]string) (done bool, err error) {
	spec := old.Spec
	if old.base.Name != "" { // a dynamic tool describes itself again
		spec = old.base
	}
	configurable, ok := old.Executor.(tool.Configurable)
	if !ok || len(spec.Settings) == 0 {
		return false, &tool.Error{Code: tool.CodeInvalidArgument, Tool: old.Spec.Name, Message: "the tool has no settings that can change"}
	}
	spec, executor, err := configurable.Configure(spec.Clone(), values)
	if err != nil {
		return false, callerror.Named(err, old.Spec.Name)
	}
	t, err := newTool(spec, executor)
	if err == nil {
		c.mu.Lock()
		if done = c.names[old.Spec.Name] == old; done {
			err = c.succeed(t, old)
		}
		c.mu.Unlock()
	}
	unused := executor
	if done && err == nil {
		unused = old.Executor
	}
	if err := unused.Close(); err != nil {
		c.log.Error("cannot close an executor", "tool", old.Spec.Name, "error", err)
	}
	return done, err
}

// Patch changes parts of a tool. A nil field changes nothing.
type Patch struct {
	Title, Icon, Version, Description, Category, Confirm *string
	// Tags and Aliases replace all existing tags and aliases.
	Tags, Aliases *[]string
	Parameters    *json.RawMessage
	Result        *json.RawMessage
	Timeout       *time.Duration
	Dangerous     *bool
}

// Update changes parts of a tool and checks the whole definition again. It fails with not_found, or
// with the errors of [Catalogue.Register]. After an error, the tool is unchanged. Running calls are
// not affected.
func (c *Catalogue) Update(name string, p Patch) (Diff, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.find(name)
	if old == nil {
		return nil, c.notFound(name)
	}
	spec := old.Spec.Clone()
	set(&spec.Title, p.Title)
	set(&spec.Icon, p.Icon)
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

// succeed replaces the tool old with t. The time of registration stays the same, and t is disabled
// if old was disabled. The caller holds the lock.
func (c *Catalogue) succeed(t, old *Tool) error {
	t.CreatedAt, t.Disabled = old.CreatedAt, old.Disabled
	return c.put(t, old)
}

// put adds t and removes the tool old, which may be nil. The caller holds the lock.
func (c *Catalogue) put(t, old *Tool) error {
	if c.closed {
		return errClosed(t.Spec.Name)
	}
	for _, key := range t.keys() {
		if owner, taken := c.names[key]; taken && owner != old {
			return &tool.Error{
				Code: tool.CodeInvalidManifest, Tool: t.Spec.Name,
				Message: fmt.Sprintf("the name %q already belongs to the tool %s (%s)", key, owner.Spec.Name, owner.Spec.Source),
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

// remove removes t and its names. The caller holds the lock.
func (c *Catalogue) remove(t *Tool) {
	if at, ok := c.place(t); ok {
		c.tools = slices.Delete(c.tools, at, at+1)
	}
	for _, key := range t.keys() {
		delete(c.names, key)
	}
}

// place returns the index of t among the tools, or where to insert it. The caller holds the lock.
func (c *Catalogue) place(t *Tool) (at int, found bool) {
	return slices.BinarySearchFunc(c.tools, t.Spec.Name, func(t *Tool, name string) int { return strings.Compare(t.Spec.Name, name) })
}

// Unregister removes a tool by its name or an alias, and reports whether it existed. Running calls
// finish; later calls fail with not_found. An error means that the executor could not be closed.
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

// Disable disables a tool: List hides it, and calls of it fail with the code disabled. Running
// calls finish. If there is no such tool, Disable fails with not_found.
func (c *Catalogue) Disable(name string) error { return c.setDisabled(name, true) }

// Enable enables a disabled tool. If there is no such tool, it fails with not_found.
func (c *Catalogue) Enable(name string) error { return c.setDisabled(name, false) }

func (c *Catalogue) setDisabled(name string, disabled bool) error {
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
