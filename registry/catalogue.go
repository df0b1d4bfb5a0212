package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/suggest"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Info is a tool as the registry knows it.
type Info struct {
	tool.Spec
	// CreatedAt is when the tool was registered; updating and replacing keep it.
	CreatedAt time.Time `json:"created_at"`
	// Disabled tools are listed on request only and cannot be called: they are switched
	// off, or the operator's policy takes them away.
	Disabled bool `json:"disabled"`
}

// Filter says which tools List returns. The zero value means all that are enabled.
type Filter struct {
	// Category and Tag keep the tools that have them; empty keeps all.
	Category, Tag string
	// Disabled includes tools that are switched off or taken away.
	Disabled bool
}

func (f Filter) keeps(e *entry, disabled bool) bool {
	return (f.Disabled || !disabled) &&
		(f.Category == "" || e.spec.Category == f.Category) &&
		(f.Tag == "" || slices.Contains(e.spec.Tags, f.Tag))
}

// Get returns a tool by its name or an alias, whether or not it is disabled.
func (r *Registry) Get(name string) (Info, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e := r.find(name)
	if e == nil {
		return Info{}, false
	}
	return r.info(e), true
}

// Has reports whether there is a tool of that name or alias.
func (r *Registry) Has(name string) bool {
	_, ok := r.Get(name)
	return ok
}

// Lookup is Get with a reason: a name that is not there gives an *Error of the code
// not_found that offers near names.
func (r *Registry) Lookup(name string) (Info, error) {
	e, err := r.resolve(name)
	if err != nil {
		return Info{}, err
	}
	return r.info(e), nil
}

// Resolve returns the tools of these names, in their order. Unknown names are told
// all together in one *Error of the code not_found.
func (r *Registry) Resolve(names ...string) ([]Info, error) {
	var infos []Info
	var faults []string
	for _, name := range names {
		info, err := r.Lookup(name)
		if err != nil {
			var e *tool.Error
			errors.As(err, &e)
			faults = append(faults, e.Message)
			continue
		}
		infos = append(infos, info)
	}
	if len(faults) > 0 {
		return nil, &tool.Error{Code: tool.CodeNotFound, Message: strings.Join(faults, "; "), Recoverable: true}
	}
	return infos, nil
}

// List returns the tools that a filter keeps, by name. What it returns are copies.
func (r *Registry) List(f Filter) []Info {
	r.mu.RLock()
	defer r.mu.RUnlock()
	infos := []Info{}
	for _, e := range r.entries {
		if info := r.info(e); f.keeps(e, info.Disabled) {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b Info) int { return cmp.Compare(a.Name, b.Name) })
	return infos
}

// Stats counts tools.
type Stats struct {
	// Total is the number of tools, with the disabled ones.
	Total int `json:"total"`
	// Disabled is how many of them are switched off.
	Disabled int `json:"disabled"`
	// Categories counts the tools of each category; "" are those without one.
	Categories map[string]int `json:"categories"`
}

// Stats counts the tools as they are now.
func (r *Registry) Stats() Stats {
	r.mu.RLock()
	defer r.mu.RUnlock()
	s := Stats{Total: len(r.entries), Categories: make(map[string]int)}
	for _, e := range r.entries {
		s.Categories[e.spec.Category]++
		if r.disabled(e) {
			s.Disabled++
		}
	}
	return s
}

// Prepare loads a tool without calling it, so that the first call is fast, and
// tells whether it can be loaded at all. It runs no code of the tool.
func (r *Registry) Prepare(ctx context.Context, name string) error {
	e, err := r.resolve(name)
	if err != nil {
		return err
	}
	if err := e.load(ctx, r.opts.Tools.LoadTimeout); err != nil {
		return callerror.Named(err, e.spec.Name)
	}
	return nil
}

func errClosed(name string) error {
	return &tool.Error{Code: tool.CodeCancelled, Tool: callerror.Excerpt(name), Message: "the registry is closed"}
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
	return nil, r.notFound(name)
}

// notFound says that there is no such tool, and what was probably meant. The lock
// is held.
func (r *Registry) notFound(name string) error {
	if r.closed {
		return errClosed(name)
	}
	message := fmt.Sprintf("the tool %q does not exist", callerror.Excerpt(name))
	var there, known []string // tools that are taken away are not spoken of
	for name, e := range r.entries {
		if !r.disabled(e) {
			there = append(there, name)
			known = append(known, e.keys()...)
		}
	}
	slices.Sort(there)
	slices.Sort(known)
	near := suggest.Nearest(strings.ToLower(name), known)
	switch {
	case near != "":
		message += "; did you mean " + near + "?"
	case len(there) == 0:
		message += "; there are no tools"
	default:
		message += "; there are: " + someNames(there)
	}
	return &tool.Error{Code: tool.CodeNotFound, Tool: callerror.Excerpt(name), Message: message, Recoverable: true}
}

// someNames joins names, as many as a message bears.
func someNames(names []string) string {
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
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
