package standard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// ReloadDirectories checks the directories of tools and loads what changed. It waits until files
// are equal at two checks, so that it never loads files that are still being written.
//
// A tool is compiled before it replaces the registered one, and gets its rules from the operator's
// file before it can be called; running calls continue with the previous version. Invalid files
// change nothing; their error is reported once, after two checks found it. A tool whose manifest is
// missing at two checks is unregistered. A directory that cannot be listed keeps its tools.
//
// f comes from the same Open as the Registry.
func (r *Reloader) ReloadDirectories(ctx context.Context, f *Directories) []ToolChange {
	f.mu.Lock()
	defer f.mu.Unlock()
	var changes []ToolChange
	for _, dir := range f.dirs {
		changes = append(changes, r.checkDirectory(ctx, f, dir)...)
	}
	if slices.ContainsFunc(changes, func(c ToolChange) bool { return c.Kind != ToolKept }) {
		// Some files may have failed to load because of a tool that has now changed, such as one
		// with the same name. Try them again.
		for _, tools := range f.tools {
			for _, w := range tools {
				w.tried = ""
			}
		}
	}
	return changes
}

// WatchDirectories calls ReloadDirectories at an interval until ctx is done. It calls report, which
// must not be nil, for each change. An interval of 0 or less means 2 seconds.
func (r *Reloader) WatchDirectories(ctx context.Context, f *Directories, every time.Duration, report func(ToolChange)) {
	for range ticks(ctx, every) {
		for _, c := range r.ReloadDirectories(ctx, f) {
			report(c)
		}
	}
}

func (r *Reloader) checkDirectory(ctx context.Context, f *Directories, dir toolDirectory) []ToolChange {
	// Open the directory each time: it may have been replaced by another directory.
	directory, paths, err := list(dir)
	if err != nil {
		reported := f.reported[dir.path]
		if f.reported[dir.path] = err.Error(); reported == err.Error() {
			return nil
		}
		return []ToolChange{{Kind: ToolKept, Source: dir.name, Err: err}}
	}
	defer directory.Close()
	f.reported[dir.path] = ""
	var changes []ToolChange
	tools := f.tools[dir.path]
	for _, path := range slices.Sorted(maps.Keys(tools)) {
		if w := tools[path]; slices.Contains(paths, path) {
			w.missing = false
		} else if !w.missing {
			w.missing = true
		} else {
			delete(tools, path)
			if w.manifest != nil {
				changes = append(changes, r.removeTool(w.manifest.Name, source(dir.name, path)))
			}
		}
	}
	for _, path := range paths {
		if tools[path] == nil {
			tools[path] = &watched{}
		}
		c := manifestCheck{r: r, f: f, w: tools[path], directory: directory, dir: dir.name, path: path}
		if change := c.run(ctx); change != nil {
			changes = append(changes, *change)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return changes
}

// list opens a directory and lists its manifests.
func list(dir toolDirectory) (*manifests.Directory, []string, error) {
	directory, err := dir.open()
	if err != nil {
		return nil, nil, err
	}
	paths, err := directory.Manifests()
	if err != nil {
		return nil, nil, errors.Join(dir.withLine(invalidManifest(dir.name, err)), directory.Close())
	}
	return directory, paths, nil
}

// manifestCheck checks one manifest for changes.
type manifestCheck struct {
	r         *Reloader
	f         *Directories
	w         *watched
	directory *manifests.Directory
	dir, path string
}

// run performs the check. It returns nil if there is nothing to report.
func (l manifestCheck) run(ctx context.Context) *ToolChange {
	w := l.w
	if w.manifest != nil && w.stamp != "" && manifests.Stamp(l.directory, l.path, w.manifest) == w.stamp {
		w.seen, w.lastError, w.reported = "", "", ""
		return nil
	}
	m, err := manifests.Read(l.directory, l.path)
	if m, err = configured(l.r.started, l.dir, m, err); err != nil {
		// Report the error only if the last check found it too, because the file may have been only
		// partly written.
		repeated := w.lastError == err.Error()
		w.seen, w.lastError = "", err.Error()
		if !repeated {
			return nil
		}
		return l.kept(err)
	}
	stamp := manifests.Stamp(l.directory, l.path, m)
	settled := stamp == w.seen && manifests.Current(l.directory, l.path, m)
	w.seen = stamp
	if !settled || stamp == w.tried {
		return nil
	}
	return l.take(ctx, m, stamp)
}

// kept reports, once, why the files cannot be loaded.
func (l manifestCheck) kept(err error) *ToolChange {
	if l.w.reported == err.Error() {
		return nil
	}
	l.w.reported = err.Error()
	c := &ToolChange{Kind: ToolKept, Source: source(l.dir, l.path), Err: err}
	if l.w.manifest != nil {
		c.Tool = l.w.manifest.Name
	}
	return c
}

// take loads the tool of the manifest m, whose files have stopped changing. stamp identifies the
// version of the files that m was read from.
func (l manifestCheck) take(ctx context.Context, m *manifests.Manifest, stamp string) *ToolChange {
	if m.MCP != nil || l.w.manifest != nil && l.w.manifest.MCP != nil {
		l.w.tried = stamp
		return l.kept(&tool.Error{Code: tool.CodeUsage, Message: source(l.dir, l.path) + ": a manifest with [mcp] changes only with a restart"})
	}
	executor, err := l.prepare(ctx, m)
	if ctx.Err() != nil || manifests.Stamp(l.directory, l.path, m) != stamp || err == nil && !manifests.Current(l.directory, l.path, m) {
		l.w.seen = "" // cancelled, or the files changed again
		if err == nil {
			_ = executor.Close() // nothing called it
		}
		return nil
	}
	var diff catalogue.Diff
	if err == nil {
		if diff, err = l.r.putTool(l.w.manifest, spec(m, source(l.dir, l.path)), executor); err != nil {
			err = inManifest(source(l.dir, l.path), err)
			_ = executor.Close() // nothing called it
		}
	}
	if err != nil {
		l.w.tried = stamp
		return l.kept(err)
	}
	kind := ToolAdded
	if l.w.manifest != nil {
		kind = ToolReplaced
	}
	*l.w = watched{manifest: m, stamp: stamp}
	return &ToolChange{Kind: kind, Source: source(l.dir, l.path), Tool: m.Name, Diff: diff}
}

// prepare reads and compiles the module of a tool. The module stays in memory so that what runs is
// exactly what was checked.
func (l manifestCheck) prepare(ctx context.Context, m *manifests.Manifest) (tool.Executor, error) {
	files := manifests.FilesOf(l.directory, l.path, m)
	if m.Module.Path != "" {
		module, err := files.Module()
		if err != nil {
			return nil, invalidManifest(l.dir, err)
		}
		files.Module = func() ([]byte, error) { return module, nil }
	}
	executor := l.f.build(m, source(l.dir, l.path), files)
	loading, cancel := context.WithTimeout(ctx, catalogue.DefaultLoadTimeout)
	defer cancel()
	if err := executor.Prepare(loading); err != nil {
		return nil, errors.Join(err, executor.Close())
	}
	return executor, nil
}

// putTool registers a tool, replacing the tool of the manifest old unless it is nil. The rules are
// set first, so that no tool can be called without its own rules. A tool that makes the operator's
// file invalid is not registered.
func (r *Reloader) putTool(old *manifests.Manifest, spec tool.Spec, executor tool.Executor) (catalogue.Diff, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	staying := specsOf(r.tools)
	if old != nil {
		staying = slices.DeleteFunc(staying, func(s tool.Spec) bool { return s.Name == old.Name })
	}
	after, err := r.rulesFor(append([]tool.Spec{spec}, staying...))
	if err != nil {
		return nil, err
	}
	before := after
	if old != nil && old.Name != spec.Name {
		if before, err = r.rulesFor(append([]tool.Spec{spec}, specsOf(r.tools)...)); err != nil {
			return nil, err
		}
	}
	r.tools.SetRules(before)
	var diff catalogue.Diff
	if old == nil {
		err = r.tools.Tools().Register(spec, executor)
	} else {
		diff, err = r.tools.Tools().Replace(old.Name, spec, executor)
	}
	if err != nil {
		return nil, errors.Join(err, r.setRules())
	}
	r.tools.SetRules(after)
	return diff, nil
}

// removeTool unregisters a tool whose manifest is gone. Rules that name it stay in force.
func (r *Reloader) removeTool(name, source string) ToolChange {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := r.tools.Tools().Unregister(name)
	return ToolChange{Kind: ToolRemoved, Source: source, Tool: name, Err: errors.Join(err, r.setRules())}
}

// setRules applies the operator's file to the tools that are registered. The caller holds r.mu.
func (r *Reloader) setRules() error {
	rules, err := r.rulesFor(specsOf(r.tools))
	if err == nil {
		r.tools.SetRules(rules)
	}
	return err
}

// rulesFor returns the rules of the operator's file for these tools. The caller holds r.mu.
func (r *Reloader) rulesFor(specs []tool.Spec) (registry.Rules, error) {
	return rulesFor(r.optionsWith(r.Config()), specs)
}

// ChangeKind says what happened to a tool whose files changed.
type ChangeKind string

// The kinds of changes.
const (
	ToolAdded    ChangeKind = "added"
	ToolReplaced ChangeKind = "replaced"
	ToolRemoved  ChangeKind = "removed"
	// ToolKept means that the files are invalid: the registered version, if any, stays.
	ToolKept ChangeKind = "kept"
)

// ToolChange is the outcome of one change of the files of a tool.
type ToolChange struct {
	Kind ChangeKind
	// Source is the manifest, or the directory that cannot be listed, under the name that the
	// operator used.
	Source string
	// Tool is the name of the tool; empty if there is none.
	Tool string
	// Diff lists the changes in the definition of a replaced tool. It is empty if only the module
	// changed.
	Diff catalogue.Diff
	// Err is why the files of ToolKept are invalid: a *tool.Error that names the file. For
	// ToolRemoved it says what could not be released, and why the rules could not be updated.
	Err error
}

// String returns one line for the change and one for each changed field of the definition.
func (c ToolChange) String() string {
	switch {
	case c.Kind == ToolKept && c.Tool == "":
		return fmt.Sprintf("not loaded: %v", c.Err)
	case c.Kind == ToolKept:
		return fmt.Sprintf("%s stays as it was: %v", c.Tool, c.Err)
	}
	text := fmt.Sprintf("%s was %s (%s)", c.Tool, c.Kind, c.Source)
	if c.Err != nil {
		text += fmt.Sprintf(", but: %v", c.Err)
	}
	for line := range strings.Lines(c.Diff.String()) {
		text += "\n  " + strings.TrimSuffix(line, "\n")
	}
	return text
}
