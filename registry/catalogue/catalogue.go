// Package catalogue stores the tools of a registry: it registers, replaces, lists and finds them,
// follows sources of tools, and asks dynamic tools for their definitions.
//
// A [Tool] is immutable. An update puts a new Tool in its place. Calls finish with the Tool that
// they began with, and readers of a Tool need no lock.
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
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/suggest"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// DefaultLoadTimeout is the default of Options.LoadTimeout.
const DefaultLoadTimeout = 2 * time.Minute

// Options configures a [Catalogue].
type Options struct {
	// LoadTimeout limits how long a call waits for its tool to be loaded and compiled; 0 means
	// DefaultLoadTimeout. The tool's own timeout begins afterwards.
	LoadTimeout time.Duration
	// NoDescriptions prevents sandboxed tools from describing themselves, so that their registered
	// definitions apply. Set it if a description might disclose the contents of directories that
	// not every tenant may see, because all callers share a description.
	NoDescriptions bool
}

// WithDefaults returns the options with defaults for zero fields.
func (o Options) WithDefaults() Options {
	o.LoadTimeout = cmp.Or(max(o.LoadTimeout, 0), DefaultLoadTimeout)
	return o
}

// Hooks connect a [Catalogue] to the rules of its registry. The Catalogue calls a hook each time
// that it needs the result. Hooks must be safe for concurrent use.
type Hooks struct {
	// Visible reports whether the rules allow callers to see a tool; nil allows all. It must not
	// call the Catalogue, because it may be called while the Catalogue's lock is held.
	Visible func(*Tool) bool
	// AutoExecute returns the AutoExecute of an Info; nil returns false. It must not call the
	// Catalogue.
	AutoExecute func(*Tool) bool
	// Overview returns the description of a [tool.Overviewer] for a caller without a tenant, and ""
	// for other tools; nil leaves descriptions unchanged.
	Overview func(*Tool) string
	// Declared returns the Declared of a tool in an Info; nil leaves Spec.Declared unchanged. It
	// must not call the Catalogue.
	Declared func(tool.Spec) *capability.Effects
	// MayDescribe returns the access that a sandboxed tool gets while it describes itself, and
	// whether the tool may describe itself at all. If MayDescribe is nil, no tool may.
	MayDescribe func(context.Context, *Tool) (capability.Grant, bool)
	// Changed is called while the Catalogue's lock is held, whenever the tools or their
	// definitions have changed; it may be nil.
	Changed func()
	// Logger receives log records for the operator; nil discards them.
	Logger *slog.Logger
}

// Catalogue holds tools. It is safe for concurrent use. The zero value is not usable; call [New].
type Catalogue struct {
	opts  Options
	hooks Hooks
	log   *slog.Logger

	mu      sync.RWMutex
	closed  bool
	tools   []*Tool          // sorted by name
	names   map[string]*Tool // by name and alias
	sources []*followed

	registrations uint64 // number of registrations so far
}

// New returns an empty Catalogue.
func New(o Options, h Hooks) *Catalogue {
	o = o.WithDefaults()
	if h.Visible == nil {
		h.Visible = func(*Tool) bool { return true }
	}
	if h.AutoExecute == nil {
		h.AutoExecute = func(*Tool) bool { return false }
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

// Close unregisters all tools and closes their executors and sources. A registry closes its own
// Catalogue. Afterwards, finding and registering tools fails with the code cancelled. Closing a
// Catalogue again has no effect.
func (c *Catalogue) Close() error {
	c.mu.Lock()
	tools, sources := c.tools, c.sources
	c.closed, c.tools, c.names, c.sources = true, nil, make(map[string]*Tool), nil
	c.mu.Unlock()

	errs := each.Of(sources, (*followed).close)
	for _, t := range tools {
		errs = append(errs, t.Executor.Close())
	}
	return errors.Join(errs...)
}

func errClosed(name string) error {
	return &tool.Error{Code: tool.CodeCancelled, Tool: callerror.Excerpt(name), Message: "the registry is closed"}
}

// Find returns the tool with a name or an alias, even if it is disabled. It ignores case and
// surrounding white space. If there is no such tool, it fails with an *Error with the code
// not_found, whose message suggests similar names. After Close, the code is cancelled.
func (c *Catalogue) Find(name string) (*Tool, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if t := c.find(name); t != nil {
		return t, nil
	}
	return nil, c.notFound(name)
}

// find returns the tool with exactly this name. If there is none, it tries the name in lower case
// and without surrounding white space. It returns nil if that fails too. The caller holds the lock.
func (c *Catalogue) find(name string) *Tool {
	if t, ok := c.names[name]; ok {
		return t
	}
	return c.names[strings.ToLower(strings.TrimSpace(name))]
}

// all returns the current tools, sorted by name.
func (c *Catalogue) all() []*Tool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clone(c.tools)
}

// notFound returns the error for a name that no tool has, with a suggestion. The caller holds the
// lock.
func (c *Catalogue) notFound(name string) error {
	if c.closed {
		return errClosed(name)
	}
	message := fmt.Sprintf("the tool %q does not exist", callerror.Excerpt(name))
	var enabled, known []string // the message must not disclose disabled tools
	for _, t := range c.tools {
		if !c.disabled(t) {
			enabled = append(enabled, t.Spec.Name)
			known = append(known, t.keys()...)
		}
	}
	slices.Sort(known)
	near := suggest.Nearest(strings.ToLower(name), known)
	switch {
	case near != "":
		message += "; did you mean " + near + "?"
	case len(enabled) == 0:
		message += "; there are no tools"
	default:
		message += "; the tools are: " + someNames(enabled)
	}
	return &tool.Error{Code: tool.CodeNotFound, Tool: callerror.Excerpt(name), Message: message, Recoverable: true}
}

// someNames joins the first 20 names, and adds the number of further names.
func someNames(names []string) string {
	const limit = 20
	if len(names) > limit {
		return strings.Join(names[:limit], ", ") + fmt.Sprintf(" and %d more", len(names)-limit)
	}
	return strings.Join(names, ", ")
}

// disabled reports whether a tool cannot be called, because it is disabled or the rules hide it.
func (c *Catalogue) disabled(t *Tool) bool { return t.Disabled || !c.hooks.Visible(t) }
