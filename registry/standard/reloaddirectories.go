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

// ReloadDirectories looks at the folders of tools, and takes over what changed and has not
// changed since the last look: files that are just being written are left for the next one.
// A tool is compiled before it takes the place of the one that was there, and gets the
// rules of the operator's file before it can be called; calls that run go on with what they
// began with. Files that are no good change nothing, and are told once, when two looks found
// the same fault. A tool whose manifest is gone at two looks is unregistered; a folder that
// cannot be listed keeps its tools.
//
// f is from the Open that made the Registry.
func (r *Reloader) ReloadDirectories(ctx context.Context, f *Directories) []ToolChange {
	f.mu.Lock()
	defer f.mu.Unlock()
	var changes []ToolChange
	for _, dir := range f.dirs {
		changes = append(changes, r.lookAtFolder(ctx, f, dir)...)
	}
	if slices.ContainsFunc(changes, func(c ToolChange) bool { return c.Kind != ToolKept }) {
		// What could not be loaded for the sake of another tool, such as one of its name,
		// is tried again.
		for _, tools := range f.tools {
			for _, w := range tools {
				w.tried = ""
			}
		}
	}
	return changes
}

// WatchDirectories is ReloadDirectories every so often, until ctx is done. It tells report, which
// may not be nil, of each change. every is 2 seconds when it is 0 or less.
func (r *Reloader) WatchDirectories(ctx context.Context, f *Directories, every time.Duration, report func(ToolChange)) {
	for range ticks(ctx, every) {
		for _, c := range r.ReloadDirectories(ctx, f) {
			report(c)
		}
	}
}

func (r *Reloader) lookAtFolder(ctx context.Context, f *Directories, dir toolDirectory) []ToolChange {
	// Opened anew each time: another folder may have been put in its place.
	folder, paths, err := list(dir)
	if err != nil {
		told := f.told[dir.path]
		if f.told[dir.path] = err.Error(); told == err.Error() {
			return nil
		}
		return []ToolChange{{Kind: ToolKept, Source: dir.name, Err: err}}
	}
	defer folder.Close()
	f.told[dir.path] = ""
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
		l := manifestCheck{r: r, f: f, w: tools[path], folder: folder, dir: dir.name, path: path}
		if change := l.at(ctx); change != nil {
			changes = append(changes, *change)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return changes
}

// list opens a folder and lists its manifests.
func list(dir toolDirectory) (*manifests.Directory, []string, error) {
	folder, err := dir.open()
	if err != nil {
		return nil, nil, err
	}
	paths, err := folder.Manifests()
	if err != nil {
		return nil, nil, errors.Join(dir.withLine(invalidManifest(dir.name, err)), folder.Close())
	}
	return folder, paths, nil
}

// look is a look at one manifest.
type manifestCheck struct {
	r         *Reloader
	f         *Directories
	w         *watched
	folder    *manifests.Directory
	dir, path string
}

// at is the look. It returns nil when there is nothing to tell.
func (l manifestCheck) at(ctx context.Context) *ToolChange {
	w := l.w
	if w.manifest != nil && w.stamp != "" && manifests.Stamp(l.folder, l.path, w.manifest) == w.stamp {
		w.seen, w.fault, w.told = "", "", ""
		return nil
	}
	m, err := manifests.Read(l.folder, l.path)
	if m, err = configured(l.r.started, l.dir, m, err); err != nil {
		// It is told when it was there at the last look, too: until then, somebody may be writing.
		lasts := w.fault == err.Error()
		w.seen, w.fault = "", err.Error()
		if !lasts {
			return nil
		}
		return l.kept(err)
	}
	stamp := manifests.Stamp(l.folder, l.path, m)
	settled := stamp == w.seen && manifests.Current(l.folder, l.path, m)
	w.seen = stamp
	if !settled || stamp == w.tried {
		return nil
	}
	return l.take(ctx, m, stamp)
}

// kept tells, once, why the files are no good.
func (l manifestCheck) kept(err error) *ToolChange {
	if l.w.told == err.Error() {
		return nil
	}
	l.w.told = err.Error()
	c := &ToolChange{Kind: ToolKept, Source: source(l.dir, l.path), Err: err}
	if l.w.manifest != nil {
		c.Tool = l.w.manifest.Name
	}
	return c
}

// take takes over a tool whose files do not change: m was read when they had this stamp.
func (l manifestCheck) take(ctx context.Context, m *manifests.Manifest, stamp string) *ToolChange {
	executor, err := l.prepare(ctx, m)
	if ctx.Err() != nil || manifests.Stamp(l.folder, l.path, m) != stamp || err == nil && !manifests.Current(l.folder, l.path, m) {
		l.w.seen = "" // stopped, or written to meanwhile
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

// prepare reads and compiles the module of a tool. It stays in memory until then, so that
// what runs is what was looked at.
func (l manifestCheck) prepare(ctx context.Context, m *manifests.Manifest) (tool.Executor, error) {
	var module []byte
	if m.REST == nil {
		var err error
		if module, err = manifests.ReadModule(l.folder, l.path, m); err != nil {
			return nil, invalidManifest(l.dir, err)
		}
	}
	executor := l.f.build(m, source(l.dir, l.path), func() ([]byte, error) { return module, nil })
	loading, cancel := context.WithTimeout(ctx, catalogue.DefaultLoadTimeout)
	defer cancel()
	if err := executor.Prepare(loading); err != nil {
		return nil, errors.Join(err, executor.Close())
	}
	return executor, nil
}

// putTool registers a tool, in the place of that of the other manifest unless it is nil. The
// rules come first, so that neither is ever there without its own. A tool with which the
// operator's file cannot be used is not registered.
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

// setRules sets the rules that the operator's file has for the tools that there are. The
// lock is held.
func (r *Reloader) setRules() error {
	rules, err := r.rulesFor(specsOf(r.tools))
	if err == nil {
		r.tools.SetRules(rules)
	}
	return err
}

// rulesFor are the rules that the operator's file has for these tools. The lock is held.
func (r *Reloader) rulesFor(specs []tool.Spec) (registry.Rules, error) {
	return rulesFor(r.optionsWith(r.last), specs)
}

// ChangeKind says what became of a tool whose files changed.
type ChangeKind string

// The kinds of changes.
const (
	ToolAdded    ChangeKind = "added"
	ToolReplaced ChangeKind = "replaced"
	ToolRemoved  ChangeKind = "removed"
	// ToolKept means that the files are no good: what was registered of them, if anything,
	// stays.
	ToolKept ChangeKind = "kept"
)

// ToolChange is what came of files of tools that changed.
type ToolChange struct {
	Kind ChangeKind
	// Source is the manifest, or the folder that cannot be listed, as the operator named it.
	Source string
	// Tool is the name of the tool; empty when there is none.
	Tool string
	// Diff is what changed in the definition of a tool that was replaced. It is empty when
	// only the module did.
	Diff catalogue.Diff
	// Err says why the files of ToolKept are no good: an *Error of package tool that names
	// the file and its fault. Of ToolRemoved, it says what could not be freed, and why the
	// rules of the operator's file stayed as they were.
	Err error
}

// String tells it in one line, and a line for each change of the definition.
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
