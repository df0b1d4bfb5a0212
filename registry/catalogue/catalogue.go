// Package catalogue holds the tools of a registry: it registers, replaces, lists and finds
// them, follows the sources that bring them, and has dynamic tools describe themselves.
//
// A [Tool] never changes. A change puts another one in its place, so that calls finish with
// the tool that they began with, and readers need no lock for what they found.
package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/suggest"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// DefaultLoadTimeout is how long a call waits for its tool to be loaded and compiled.
const DefaultLoadTimeout = 2 * time.Minute

// Options configures a Catalogue.
type Options struct {
	// LoadTimeout bounds the wait for a tool to be loaded and compiled at its first
	// call, apart from the tool's own timeout; 0 means DefaultLoadTimeout.
	LoadTimeout time.Duration
	// NoDescriptions keeps tools in the sandbox from describing themselves, so that what they
	// were registered with stands. A description is one for all callers: where the folders
	// of the rules are not for every tenant to know of, it may tell of them.
	NoDescriptions bool
}

// WithDefaults returns the options with their defaults filled in.
func (o Options) WithDefaults() Options {
	o.LoadTimeout = cmp.Or(max(o.LoadTimeout, 0), DefaultLoadTimeout)
	return o
}

// Hooks connect a Catalogue with the rules of its registry, which it asks at the moment of
// use. All are safe for concurrent use.
type Hooks struct {
	// Visible reports whether the rules leave a tool to its callers; nil leaves all. It may be
	// called under the Catalogue's lock, so that it must not call the Catalogue.
	Visible func(*Tool) bool
	// MayDescribe returns what a tool in the sandbox may reach to describe itself, and
	// whether it may do so at all; nil allows none to.
	MayDescribe func(context.Context, *Tool) (capability.Grant, bool)
	// Changed is called under the Catalogue's lock whenever the tools or their definitions
	// have changed; nil is for nobody.
	Changed func()
	// Logger gets what an operator should know; nil means silence.
	Logger *slog.Logger
}

// Catalogue holds tools. It is safe for concurrent use. The zero value is not usable; see
// New.
type Catalogue struct {
	opts  Options
	hooks Hooks
	log   *slog.Logger

	mu      sync.RWMutex
	closed  bool
	tools   []*Tool          // sorted by name
	names   map[string]*Tool // by name and alias
	sources []*followed

	registrations uint64 // how many tools were registered so far
}

// New returns an empty Catalogue.
func New(o Options, h Hooks) *Catalogue {
	o = o.WithDefaults()
	if h.Visible == nil {
		h.Visible = func(*Tool) bool { return true }
	}
	if h.MayDescribe == nil {
		h.MayDescribe = func(context.Context, *Tool) (g capability.Grant, may bool) { return }
	}
	if h.Changed == nil {
		h.Changed = func() {}
	}
	h.Logger = cmp.Or(h.Logger, slog.New(slog.DiscardHandler))
	return &Catalogue{opts: o, hooks: h, log: h.Logger, names: make(map[string]*Tool)}
}

// Close unregisters all tools and closes their executors and sources; a registry closes its
// Catalogue itself. Tools are not found afterwards, with the code cancelled, and none can be
// registered. Closing again does nothing.
func (c *Catalogue) Close() error {
	c.mu.Lock()
	tools, sources := c.tools, c.sources
	c.closed, c.tools, c.names, c.sources = true, nil, make(map[string]*Tool), nil
	c.mu.Unlock()

	var errs []error
	for _, f := range sources {
		errs = append(errs, f.close())
	}
	for _, t := range tools {
		errs = append(errs, t.Executor.Close())
	}
	return errors.Join(errs...)
}

func errClosed(name string) error {
	return &tool.Error{Code: tool.CodeCancelled, Tool: callerror.Excerpt(name), Message: "the registry is closed"}
}

// Find returns the tool of a name or an alias, also one that is disabled. Space around the
// name and capitals do not count. The error is an *Error of the code not_found that offers
// near names, or cancelled once the Catalogue is closed.
func (c *Catalogue) Find(name string) (*Tool, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if t := c.find(name); t != nil {
		return t, nil
	}
	return nil, c.notFound(name)
}

// find returns the tool for a name as written, or else trimmed and in lower case; nil when
// there is none. The lock is held.
func (c *Catalogue) find(name string) *Tool {
	if t, ok := c.names[name]; ok {
		return t
	}
	return c.names[strings.ToLower(strings.TrimSpace(name))]
}

// all returns the tools as they are now, by name.
func (c *Catalogue) all() []*Tool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clone(c.tools)
}

// notFound says that there is no such tool, and what was probably meant. The lock is held.
func (c *Catalogue) notFound(name string) error {
	if c.closed {
		return errClosed(name)
	}
	message := fmt.Sprintf("the tool %q does not exist", callerror.Excerpt(name))
	var there, known []string // disabled tools are not mentioned
	for _, t := range c.tools {
		if !c.disabled(t) {
			there = append(there, t.Spec.Name)
			known = append(known, t.keys()...)
		}
	}
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

// someNames joins the first 20 names and counts the rest.
func someNames(names []string) string {
	const limit = 20
	if len(names) > limit {
		return strings.Join(names[:limit], ", ") + fmt.Sprintf(" and %d more", len(names)-limit)
	}
	return strings.Join(names, ", ")
}

// disabled reports whether a tool cannot be called: it is switched off, or the rules take
// it away.
func (c *Catalogue) disabled(t *Tool) bool { return t.Disabled || !c.hooks.Visible(t) }
