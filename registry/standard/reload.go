package standard

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Reloader reads the operator's file of a Registry again, and the folders of its tools. All
// rules that follow from the file are put in the place of the old ones in one step, or none
// of them. It is safe for concurrent use.
type Reloader struct {
	tools   *registry.Registry
	options Options
	file    config.File
	getenv  func(name string) (string, bool)
	started *config.Config // what the Registry was made with

	mu   sync.Mutex
	last *config.Config // whose rules hold
}

// Reload is what came of reading the operator's file again.
type Reload struct {
	// Changed says that the file has another text, and that its rules hold for the calls
	// that begin from now on.
	Changed bool
	// Pending are the sections that differ from those that the Registry was made with and
	// that hold only for a new one: "limits", "tool_directories", "audit", "servers.NAME",
	// "tools.NAME.settings", and "secrets.NAME" where its value is to come from somewhere
	// else. Until then no tool is given such a secret: the value that is known is for the
	// places that the file named with it.
	Pending []string
	// Warnings are as those of config.Config and policy.Policy.
	Warnings []string
}

// NewReloader returns a Reloader for a Registry that New made of o, where o.Config was read
// from file. getenv is as for config.Load.
func NewReloader(tools *registry.Registry, o Options, file config.File, getenv func(name string) (string, bool)) *Reloader {
	return &Reloader{tools: tools, options: o, file: file, getenv: getenv, started: o.config(), last: o.config()}
}

// Reload reads the file, and sets the rules if its text changed. Calls that run go on under
// the rules that they began with, but for those of tools that are revoked now: see
// registry.Registry.SetRules. When it fails, the rules are what they were; the error is an
// *Error of the code usage, whose text has every fault of the file, or permission_denied
// for a mount that is not there. A file that was there and is gone is an error, too, since
// it may be about to be written anew; one that was not there and is now counts.
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
	if read.Digest() == "" && r.last.Digest() != "" {
		return Reload{}, &tool.Error{Code: tool.CodeUsage, Message: r.file.Name + ": is gone; its rules stay as they were", Recoverable: true}
	}
	result := Reload{Changed: read.Digest() != r.last.Digest(), Pending: pending(r.started, read)}
	if !result.Changed {
		return result, nil
	}
	o := r.optionsWith(read)
	if err := checkDirectories(o); err != nil {
		return Reload{}, err
	}
	rules, err := rulesFor(o, specsOf(r.tools))
	if err != nil {
		return Reload{}, err
	}
	result.Warnings = read.Warnings()
	for _, problem := range rules.Policy.Warnings() {
		result.Warnings = append(result.Warnings, problem.String())
	}
	r.tools.SetRules(rules)
	r.last = read
	return result, nil
}

// optionsWith returns the options of the Registry with another file, without the secrets
// whose values it has from elsewhere.
func (r *Reloader) optionsWith(read *config.Config) Options {
	o := r.options
	o.Config = read
	denied := otherValues(r.started, read)
	without := func(offer capability.Grantable) capability.Grantable {
		offer.Deny = slices.Concat(offer.Deny, denied)
		return offer
	}
	rules := &o.Registry.Rules
	rules.Grantable, rules.ToolGrantables = without(rules.Grantable), maps.Clone(rules.ToolGrantables)
	for name, offer := range rules.ToolGrantables {
		rules.ToolGrantables[name] = without(offer)
	}
	return o
}

// Watch reads the file every so often, until ctx is done. It tells report, which may not be
// nil, when the rules changed, when the file cannot be used, once for each way in which it
// cannot, and when it can be used again. every is 2 seconds when it is 0 or less.
func (r *Reloader) Watch(ctx context.Context, every time.Duration, report func(Reload, error)) {
	told := ""
	for range ticks(ctx, every) {
		result, err := r.Reload(ctx)
		if ctx.Err() != nil {
			return
		}
		text := ""
		if err != nil {
			text = err.Error()
		}
		if result.Changed || text != told {
			report(result, err)
		}
		told = text
	}
}

// ticks yields every so often, until ctx is done.
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

// defaultWatch is how often Watch looks: reading a small file costs next to nothing, and
// looking at its text rather than its time misses no change.
const defaultWatch = 2 * time.Second

// otherValues are words of the secrets whose values are to come from elsewhere than those
// that a Registry has that was made of another file.
func otherValues(started, read *config.Config) (words capability.Deny) {
	sameValue := func(a, b config.SecretSource) bool {
		a.TTL = b.TTL // the value is the same however long it is kept
		return a.Same(b)
	}
	for _, name := range changed(started.SecretSources(), read.SecretSources(), sameValue) {
		if word, err := capability.NewPermission(capability.KindSecret, name); err == nil { // a name of the file was checked
			words = append(words, word)
		}
	}
	return words
}

// changed are the names, sorted, of what is new or not the same as before.
func changed[V any](before, after map[string]V, same func(a, b V) bool) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if value, known := before[name]; !known || !same(value, after[name]) {
			names = append(names, name)
		}
	}
	return names
}

// pending are the sections of a file that a Registry made of another one does not heed.
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
	// A secret that is gone is not granted any more, and needs no restart.
	for _, name := range changed(started.SecretSources(), read.SecretSources(), config.SecretSource.Same) {
		sections = append(sections, "secrets."+name)
	}
	sections = append(sections, pendingSettings(started, read)...)
	before, after := started.Servers(), read.Servers()
	gone := changed(after, before, func(config.Server, config.Server) bool { return true })
	for _, name := range slices.Concat(changed(before, after, config.Server.Same), gone) {
		sections = append(sections, "servers."+name)
	}
	return sections
}

// directoriesOf are the paths of a file's directories of tools.
func directoriesOf(c *config.Config) (paths []string) {
	for _, dir := range c.ToolDirectories() {
		paths = append(paths, dir.Path)
	}
	return paths
}
