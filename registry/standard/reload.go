package standard

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Reloader applies changes of the operator's file and of the directories of tools to a Registry.
// Either all rules of the file replace the previous rules in one step, or none does. It is safe for
// concurrent use.
type Reloader struct {
	// Check is called with each file that was read again, before the file takes effect. An error
	// keeps the last rules. Set it before the first Reload; nil accepts every valid file.
	Check func(*config.Config) error

	tools   *registry.Registry
	options Options
	file    config.File
	getenv  func(name string) (string, bool)
	started *config.Config // the file that the Registry was created with

	mu   sync.Mutex                    // held by Reload
	last atomic.Pointer[config.Config] // the file whose rules apply
}

// Reload is the result of reading the operator's file again.
type Reload struct {
	// Changed says that the content of the file changed. Its rules apply to calls that begin from
	// now on.
	Changed bool
	// Pending lists sections that changed but take effect only after a restart: "limits",
	// "tool_directories", "audit", "servers.NAME", "tools.NAME.settings", "tenants.NAME" if its
	// token comes from another source now, and "secrets.NAME" if its value does. Until the restart,
	// such a secret is denied to all tools. Otherwise its old value could be sent to URLs that the
	// previous file did not allow.
	Pending []string
	// Warnings are the warnings of config.Config and policy.Policy.
	Warnings []string
}

// NewReloader returns a Reloader for a Registry that New created from o, with o.Config read from
// file. getenv is the same as for config.Load.
func NewReloader(tools *registry.Registry, o Options, file config.File, getenv func(name string) (string, bool)) *Reloader {
	r := &Reloader{tools: tools, options: o, file: file, getenv: getenv, started: o.config()}
	r.last.Store(r.started)
	return r
}

// Config returns the file whose rules apply.
func (r *Reloader) Config() *config.Config { return r.last.Load() }

// Reload reads the file and applies its rules if its content changed. Running calls keep the rules
// they began with, except calls of tools that are now revoked: see registry.Registry.SetRules.
//
// On an error the rules stay as they were. The error is a *tool.Error. With the code usage, it
// lists all errors of the file. With permission_denied, the directory of a mount does not exist. If
// the file no longer exists, that is also an error, because an editor may be replacing the file. If
// a file now exists that did not exist before, Reload applies it.
func (r *Reloader) Reload(ctx context.Context) (Reload, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return Reload{}, err
	}
	read, err := config.Load(r.file, r.getenv)
	if err != nil {
		return Reload{}, (&tool.Error{Code: tool.CodeUsage, Message: err.Error(), Recoverable: true}).WithCause(err)
	}
	if read.Digest() == "" && r.Config().Digest() != "" {
		return Reload{}, &tool.Error{Code: tool.CodeUsage, Message: r.file.Name + ": the file is gone; its last rules stay in force", Recoverable: true}
	}
	o := r.optionsWith(read)
	read = o.config()
	result := Reload{Changed: read.Digest() != r.Config().Digest(), Pending: pending(r.started, read)}
	if !result.Changed {
		return result, nil
	}
	if err := checkDirectories(o); err != nil {
		return Reload{}, err
	}
	if r.Check != nil {
		if err := r.Check(read); err != nil {
			return Reload{}, err
		}
	}
	rules, err := rulesFor(o, specsOf(r.tools))
	if err != nil {
		return Reload{}, err
	}
	result.Warnings = read.Warnings()
	for _, problem := range PolicyWarnings(read, rules) {
		result.Warnings = append(result.Warnings, problem.String())
	}
	r.last.Store(read) // first, so that no client calls as a tenant that it no longer is
	r.tools.SetRules(rules)
	return result, nil
}

// optionsWith returns the options of the Registry with another file, without the secrets whose
// values come from other sources in that file.
func (r *Reloader) optionsWith(read *config.Config) Options {
	o := r.options
	o.Config = read
	denied := otherValues(r.started, o.config())
	without := func(offer capability.Grantable) capability.Grantable {
		offer.Deny = slices.Concat(offer.Deny, denied)
		return offer
	}
	rules := &o.Registry.Rules
	if len(r.started.Tenants()) > 0 { // without its [tenants], the file must not allow them more
		rules.Tenants = func(name string) (registry.TenantOptions, error) {
			return registry.TenantOptions{}, unknownTenant(name)
		}
	}
	rules.Grantable, rules.ToolGrantables = without(rules.Grantable), maps.Clone(rules.ToolGrantables)
	for name, offer := range rules.ToolGrantables {
		rules.ToolGrantables[name] = without(offer)
	}
	return o
}

// Watch calls Reload at an interval until ctx is done. It calls report, which must not be nil, when
// the rules changed, when the file has a new error, and when the error is gone. An interval of 0 or
// less means 2 seconds.
func (r *Reloader) Watch(ctx context.Context, every time.Duration, report func(Reload, error)) {
	reported := ""
	for range ticks(ctx, every) {
		result, err := r.Reload(ctx)
		if ctx.Err() != nil {
			return
		}
		text := ""
		if err != nil {
			text = err.Error()
		}
		if result.Changed || text != reported {
			report(result, err)
		}
		reported = text
	}
}

// ticks yields the time at an interval until ctx is done.
func ticks(ctx context.Context, every time.Duration) iter.Seq[time.Time] {
	every = cmp.Or(max(every, 0), defaultWatch)
	return func(yield func(time.Time) bool) {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-ticker.C:
				if !yield(now) {
					return
				}
			}
		}
	}
}

// defaultWatch is the default interval. Reading a small file is cheap. Reload compares the content
// of the file and not its time, so it misses no change.
const defaultWatch = 2 * time.Second

// otherValues returns permissions for the secrets that are new in the file `read`, or have a
// different source there than in the file `started`.
func otherValues(started, read *config.Config) (words capability.Deny) {
	sameValue := func(a, b config.SecretSource) bool {
		a.TTL = b.TTL // a different TTL does not change the value
		return a.Same(b)
	}
	for _, name := range changed(started.SecretSources(), read.SecretSources(), sameValue) {
		// The name is valid: config checked it.
		if word, err := capability.NewPermission(capability.KindSecret, name); err == nil {
			words = append(words, word)
		}
	}
	return words
}

// changed returns the sorted names whose values are new or differ.
func changed[V any](before, after map[string]V, same func(a, b V) bool) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if value, known := before[name]; !known || !same(value, after[name]) {
			names = append(names, name)
		}
	}
	return names
}

// pending returns the changed sections that take effect only after a restart.
func pending(started, read *config.Config) []string {
	var sections []string
	if started.Ceilings() != read.Ceilings() {
		sections = append(sections, "limits")
	}
	if !slices.Equal(directoriesOf(started), directoriesOf(read)) {
		sections = append(sections, "tool_directories")
	}
	if started.Audit() != read.Audit() {
		sections = append(sections, "audit")
	}
	// A secret that was removed is no longer granted, which needs no restart.
	for _, name := range changed(started.SecretSources(), read.SecretSources(), config.SecretSource.Same) {
		sections = append(sections, "secrets."+name)
	}
	sections = append(sections, pendingSettings(started, read)...)
	sameToken := func(a, b config.Tenant) bool { return a.Token.Same(b.Token) }
	for _, name := range changed(started.Tenants(), read.Tenants(), sameToken) {
		// A new tenant without a token needs no restart.
		if !sameToken(read.Tenants()[name], started.Tenants()[name]) {
			sections = append(sections, "tenants."+name)
		}
	}
	before, after := started.Servers(), read.Servers()
	gone := changed(after, before, func(config.Server, config.Server) bool { return true })
	for _, name := range slices.Concat(changed(before, after, config.Server.Same), gone) {
		sections = append(sections, "servers."+name)
	}
	return sections
}

// directoriesOf returns the paths of the tool_directories of a file.
func directoriesOf(c *config.Config) (paths []string) {
	for _, dir := range c.ToolDirectories() {
		paths = append(paths, dir.Path)
	}
	return paths
}
