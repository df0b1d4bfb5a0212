package registry

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/placeholder"
	"github.com/wasmtool/wasmtool/registry/internal/definition"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// entry is one registered tool. It never changes; an update makes a new one.
type entry struct {
	spec     tool.Spec
	executor tool.Executor
	schema   *jsonschema.Schema
	result   *jsonschema.Schema // nil when the tool declares none
	confirm  placeholder.Template

	// base is the spec that a dynamic tool was registered with, and pending its definition,
	// as long as that is to be worked out.
	base    tool.Spec
	pending *description

	createdAt time.Time
	disabled  bool
	// registration names the entry in this process, for answers about a tool without a digest.
	registration string
}

func (r *Registry) info(e *entry) Info {
	return Info{Spec: e.spec.Clone(), CreatedAt: e.createdAt, Disabled: r.disabled(e)}
}

// keys are the names under which a tool is found.
func (e *entry) keys() []string { return append([]string{e.spec.Name}, e.spec.Aliases...) }

// isCalled reports whether a name is one of the tool's, in capitals and with space around
// it or not.
func (e *entry) isCalled(name string) bool {
	return slices.Contains(e.keys(), strings.ToLower(strings.TrimSpace(name)))
}

// Register adds a tool. The Registry owns the executor from then on; when Register
// fails, the caller still does. It fails with an *Error of the code
// invalid_manifest when the spec does not hold, or when the name or an alias is
// taken: the tool that was there stays as it was.
func (r *Registry) Register(spec tool.Spec, executor tool.Executor) error {
	e, err := newEntry(spec, executor)
	if err != nil {
		return err
	}
	e.createdAt = time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.put(e, nil)
}

// Replace puts a tool in the place of the one of the same name, which must be there:
// taking a name over is never an accident. Calls that run finish on the old one; its
// executor is closed, and the Logger told if it does not close. The tool stays disabled if
// it was. The Diff says what changed. Ownership of the executor and errors are as for Register; not_found when there is
// nothing to replace.
func (r *Registry) Replace(spec tool.Spec, executor tool.Executor) (Diff, error) {
	return r.ReplaceNamed(spec.Name, spec, executor)
}

// ReplaceNamed is Replace for a tool that is there under another name: in one step, it goes
// and the other comes.
func (r *Registry) ReplaceNamed(name string, spec tool.Spec, executor tool.Executor) (Diff, error) {
	e, err := newEntry(spec, executor)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	old := r.entries[name]
	if old == nil {
		err := r.notFound(name)
		r.mu.Unlock()
		return nil, err
	}
	e.createdAt, e.disabled = old.createdAt, old.disabled
	err = r.put(e, old)
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := old.executor.Close(); err != nil {
		r.log.Error("the executor of a tool that was replaced does not close", "tool", name, "error", err)
	}
	return diff(old.spec, e.spec), nil
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
func (r *Registry) Update(name string, p Patch) (Diff, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.find(name)
	if old == nil {
		return nil, r.notFound(name)
	}
	spec := old.spec.Clone()
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
	e, err := newEntry(spec, old.executor)
	if err != nil {
		return nil, err
	}
	e.createdAt, e.disabled = old.createdAt, old.disabled
	if err := r.put(e, old); err != nil {
		return nil, err
	}
	return diff(old.spec, e.spec), nil
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// put enters e in the place of old, which may be nil. The lock is held.
func (r *Registry) put(e, old *entry) error {
	if r.closed {
		return errClosed(e.spec.Name)
	}
	for _, key := range e.keys() {
		if owner, taken := r.names[key]; taken && (old == nil || owner != old.spec.Name) {
			return &tool.Error{
				Code: tool.CodeInvalidManifest, Tool: e.spec.Name,
				Message: fmt.Sprintf("the name %q is taken by the tool %s (%s)", key, owner, r.entries[owner].spec.Source),
			}
		}
	}
	if old != nil {
		r.remove(old)
	}
	r.registrations++
	e.registration = registrationPrefix + strconv.FormatUint(r.registrations, 10)
	r.entries[e.spec.Name] = e
	r.index.Add(e.spec.Name, textsOf(e.spec))
	for _, key := range e.keys() {
		r.names[key] = e.spec.Name
	}
	r.toolsChanged()
	return nil
}

// registrationPrefix tells names of registrations from digests.
const registrationPrefix = "registration "

// remove takes e and its names out. The lock is held.
func (r *Registry) remove(e *entry) {
	delete(r.entries, e.spec.Name)
	r.index.Remove(e.spec.Name, textsOf(e.spec))
	maps.DeleteFunc(r.names, func(_, owner string) bool { return owner == e.spec.Name })
}

// Unregister removes a tool by its name or an alias and reports whether it was
// there. Calls that run finish; later ones fail with not_found.
func (r *Registry) Unregister(name string) (bool, error) {
	r.mu.Lock()
	e := r.find(name)
	if e != nil {
		r.remove(e)
		r.toolsChanged()
	}
	r.mu.Unlock()
	if e == nil {
		return false, nil
	}
	return true, e.executor.Close()
}

// Disable switches a tool off: it is hidden from List, and calling it fails with
// disabled. Calls that run finish. It fails with not_found.
func (r *Registry) Disable(name string) error { return r.switchTool(name, true) }

// Enable switches a tool on again. It fails with not_found.
func (r *Registry) Enable(name string) error { return r.switchTool(name, false) }

func (r *Registry) switchTool(name string, disabled bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.find(name)
	if old == nil {
		return r.notFound(name)
	}
	e := *old
	e.disabled = disabled
	return r.put(&e, old)
}

// newEntry checks a spec and compiles its schemas.
func newEntry(spec tool.Spec, executor tool.Executor) (*entry, error) {
	if executor == nil {
		return nil, definition.Fault(spec.Name, "execute", "there is nothing to execute")
	}
	d, err := definition.Compile(spec, executor)
	if err != nil {
		return nil, err
	}
	e := &entry{
		spec: d.Spec, executor: executor,
		schema: d.Parameters, result: d.Result, confirm: d.Confirm,
	}
	if _, ok := executor.(tool.Dynamic); ok {
		e.base, e.pending = d.Spec.Clone(), &description{}
	}
	return e, nil
}
