package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/placeholder"
	"github.com/wasmtool/wasmtool/internal/suggest"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// entry is one registered tool. It does not change after Register.
type entry struct {
	spec     tool.Spec
	executor tool.Executor
	schema   *jsonschema.Schema
	result   *jsonschema.Schema // nil when the tool declares none
	confirm  placeholder.Template
}

var validName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)

// noParameters is the schema of a tool that declares none.
const noParameters = `{"type":"object","properties":{}}`

// Register adds a tool. The Registry owns the executor from then on; when Register
// fails, the caller still does. It fails with an *Error of the code
// invalid_manifest when the spec does not hold, or when the name or an alias is
// taken: the tool that was there stays as it was.
func (r *Registry) Register(spec tool.Spec, executor tool.Executor) error {
	e, err := newEntry(spec, executor)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return &tool.Error{Code: tool.CodeInternal, Tool: spec.Name, Message: "the registry is closed"}
	}
	keys := append([]string{e.spec.Name}, e.spec.Aliases...)
	for _, key := range keys {
		if owner, taken := r.names[key]; taken {
			return &tool.Error{
				Code: tool.CodeInvalidManifest, Tool: e.spec.Name,
				Message: fmt.Sprintf("the name %q is taken by the tool %s (%s)", key, owner, r.entries[owner].spec.Source),
			}
		}
	}
	r.entries[e.spec.Name] = e
	for _, key := range keys {
		r.names[key] = e.spec.Name
	}
	return nil
}

// newEntry checks a spec and compiles its schemas.
func newEntry(spec tool.Spec, executor tool.Executor) (*entry, error) {
	fault := func(format string, args ...any) error {
		return &tool.Error{Code: tool.CodeInvalidManifest, Tool: spec.Name, Message: fmt.Sprintf(format, args...)}
	}
	if executor == nil {
		return nil, fault("there is nothing to execute")
	}
	seen := make(map[string]bool)
	for _, name := range append([]string{spec.Name}, spec.Aliases...) {
		if !validName.MatchString(name) {
			return nil, fault("the name %q must be 1 to 64 of a-z, 0-9, _ and -, beginning with a letter", name)
		}
		if seen[name] {
			return nil, fault("the name %q is there twice", name)
		}
		seen[name] = true
	}
	e := &entry{spec: spec.Clone(), executor: executor}
	if e.spec.Title == "" {
		e.spec.Title = e.spec.Name
	}
	if e.spec.Timeout <= 0 {
		e.spec.Timeout = tool.DefaultTimeout
	}
	if len(e.spec.Parameters) == 0 {
		e.spec.Parameters = json.RawMessage(noParameters)
	}
	var err error
	if e.schema, err = jsonschema.CompileParameters(e.spec.Parameters); err != nil {
		return nil, fault("parameters: %v", err)
	}
	if e.confirm, err = parseConfirm(e.spec.Confirm, e.schema); err != nil {
		return nil, fault("confirm: %v", err)
	}
	if len(e.spec.Result) > 0 {
		if e.result, err = jsonschema.Compile(e.spec.Result); err != nil {
			return nil, fault("result: %v", err)
		}
	}
	return e, nil
}

// Unregister removes a tool by its name or an alias and reports whether it was
// there. Calls that run finish; later ones fail with not_found.
func (r *Registry) Unregister(name string) (bool, error) {
	r.mu.Lock()
	e := r.find(name)
	if e != nil {
		delete(r.entries, e.spec.Name)
		maps.DeleteFunc(r.names, func(_, owner string) bool { return owner == e.spec.Name })
	}
	r.mu.Unlock()
	if e == nil {
		return false, nil
	}
	return true, e.executor.Close()
}

// Get returns a copy of a tool's Spec, by its name or an alias.
func (r *Registry) Get(name string) (tool.Spec, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e := r.find(name)
	if e == nil {
		return tool.Spec{}, false
	}
	return e.spec.Clone(), true
}

// Lookup is Get with a reason: a name that is not there gives an *Error of the code
// not_found that offers near names.
func (r *Registry) Lookup(name string) (tool.Spec, error) {
	e, err := r.resolve(name)
	if err != nil {
		return tool.Spec{}, err
	}
	return e.spec.Clone(), nil
}

// List returns copies of all Specs, by name.
func (r *Registry) List() []tool.Spec {
	r.mu.RLock()
	defer r.mu.RUnlock()
	specs := make([]tool.Spec, 0, len(r.entries))
	for _, e := range r.entries {
		specs = append(specs, e.spec.Clone())
	}
	slices.SortFunc(specs, func(a, b tool.Spec) int { return cmp.Compare(a.Name, b.Name) })
	return specs
}

// Prepare loads a tool without calling it, so that the first call is fast, and
// tells whether it can be loaded at all. It runs no code of the tool.
func (r *Registry) Prepare(ctx context.Context, name string) error {
	e, err := r.resolve(name)
	if err != nil {
		return err
	}
	return e.load(ctx, r.opts.LoadTimeout)
}

// find returns the entry for a name as written, or else trimmed and in lower case;
// nil when there is none. The lock is held.
func (r *Registry) find(name string) *entry {
	owner, ok := r.names[name]
	if !ok {
		owner, ok = r.names[strings.ToLower(strings.TrimSpace(name))]
	}
	if !ok {
		return nil
	}
	return r.entries[owner]
}

// resolve finds the tool of a call.
func (r *Registry) resolve(name string) (*entry, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if e := r.find(name); e != nil {
		return e, nil
	}
	message := fmt.Sprintf("the tool %q does not exist", excerpt(name))
	near := suggest.Nearest(strings.ToLower(name), slices.Sorted(maps.Keys(r.names)))
	switch {
	case near != "":
		message += "; did you mean " + near + "?"
	case len(r.entries) == 0:
		message += "; there are no tools"
	default:
		message += "; there are: " + someNames(slices.Sorted(maps.Keys(r.entries)))
	}
	return nil, &tool.Error{Code: tool.CodeNotFound, Tool: excerpt(name), Message: message, Recoverable: true}
}

// someNames joins names, as many as a message bears.
func someNames(names []string) string {
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// excerpt cuts a name that a caller made up down to what a message bears.
func excerpt(name string) string {
	const most = 80
	if len(name) > most {
		return strings.ToValidUTF8(name[:most], "") + "..."
	}
	return strings.ToValidUTF8(name, "\uFFFD")
}

// faultsOf converts the faults of arguments, or gives nil for another error.
func faultsOf(err error) []tool.Fault {
	var faults jsonschema.Faults
	if !errors.As(err, &faults) {
		return nil
	}
	out := make([]tool.Fault, len(faults))
	for i, f := range faults {
		out[i] = tool.Fault{Pointer: f.Pointer, Kind: string(f.Kind), Message: f.Message}
	}
	return out
}
