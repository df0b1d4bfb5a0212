package applypatch

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest/files"
)

// plan has the changes that a patch makes. add checks each change as far as this is possible before
// files are written.
type plan struct {
	dir   workspace.Dir
	files []planned
	taken map[string]bool // names of the files that already have a part in the patch
	total int             // bytes read
}

// planned is the change to one file.
type planned struct {
	kind     kind
	name     string
	moveTo   string        // the new name; "" if the file is not moved
	was      *files.Answer // nil for an added file
	old, new []byte        // content before and after; nil if the file does not exist
	report   string
	notes    []string
}

// add checks a part of the patch and adds its changes to the plan.
func (p *plan) add(part filePatch) error {
	path, found := p.find(part)
	if !found && part.orElse != nil {
		part = *part.orElse
		path, _ = p.find(part)
	}
	name, was, err := p.claim(path)
	if err != nil {
		return err
	}
	f := planned{kind: part.kind, name: name, was: was}
	shown := workspace.Display(name)
	if part.kind == add {
		if was != nil {
			return fmt.Errorf("%s: %s exists, so the patch can't add it; update it instead", param, shown)
		}
		f.new = []byte(part.content)
		f.report = fmt.Sprintf("%s %s (%s)", f.did(), shown, toolabi.Quantity(strings.Count(part.content, "\n"), "line"))
		p.files = append(p.files, f)
		return nil
	}
	if was == nil {
		return workspace.Explain(p.dir, param, name, fs.ErrNotExist)
	}
	if f.old, err = p.dir.Load(param, name, was, maxFile); err != nil {
		return err
	}
	if p.total += len(f.old); p.total > maxTotal {
		return fmt.Errorf("%s: the files have more than %d bytes in total; patch fewer files in one call", param, maxTotal)
	}
	if part.kind == remove {
		err = p.remove(&f, part)
	} else {
		err = p.update(&f, part)
	}
	if err != nil {
		return err
	}
	p.files = append(p.files, f)
	return nil
}

// find returns the path of the file of a part: the first path at which a file exists. If the part
// adds the file, it is the first path whose top directory exists, or else the last path.
func (p *plan) find(part filePatch) (path string, found bool) {
	for _, path = range part.paths {
		if part.kind == add {
			if p.hasTop(path) {
				return path, true
			}
			continue
		}
		if _, err := workspace.Resolve(p.dir, param, path); err != nil {
			continue // a name such as /tmp/x.orig
		}
		if _, was, err := p.dir.Target(param, path); err != nil || was != nil {
			return path, true // claim returns err
		}
	}
	if part.kind == add {
		return part.paths[len(part.paths)-1], true
	}
	return part.path(), false
}

// hasTop reports whether the first directory of a path exists. A path without directories is in the
// workspace itself.
func (p *plan) hasTop(path string) bool {
	name, err := workspace.Resolve(p.dir, param, path)
	if err != nil {
		return false
	}
	top, _, below := strings.Cut(name, "/")
	if !below || top == "" { // an absolute path has no other form
		return true
	}
	info, err := fs.Stat(p.dir, top)
	return err == nil && info.IsDir()
}

// remove checks that the patch deletes all lines of the file. A part without hunks may delete any
// file.
func (p *plan) remove(f *planned, part filePatch) error {
	shown := workspace.Display(f.name)
	f.report = f.did() + " " + shown
	if len(part.hunks) == 0 {
		return nil
	}
	left, _, err := merge(f.old, part.hunks)
	if err == nil && len(left) > 0 {
		err = errors.New("the patch deletes the file, but not all of its lines; read the file again")
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", param, shown, err)
	}
	return nil
}

// update computes the changes of a part and stores them in f.
func (p *plan) update(f *planned, part filePatch) (err error) {
	shown := workspace.Display(f.name)
	if part.moveTo != "" {
		to, there, err := p.claim(part.moveTo)
		if err != nil {
			return err
		}
		if there != nil {
			return fmt.Errorf("%s: %s exists, so the patch can't move %s there; delete it first", param, workspace.Display(to), shown)
		}
		f.moveTo = to
	}
	if f.report = f.did() + " " + shown; f.moveTo != "" {
		f.report += " to " + workspace.Display(f.moveTo)
	}
	if len(part.hunks) == 0 {
		f.new = f.old
		return nil
	}
	f.new, f.notes, err = merge(f.old, part.hunks)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %s: %w", param, shown, err)
	case len(f.new) > maxFile:
		return fmt.Errorf("%s: %s would be larger than the limit of %d bytes", param, shown, maxFile)
	case bytes.Equal(f.old, f.new) && f.moveTo == "":
		return fmt.Errorf("%s: the part for %s changes nothing", param, shown)
	}
	f.report += " (" + describe(part.hunks) + ")"
	return nil
}

// claim resolves a path of the patch. It returns an error if another part has the same path.
func (p *plan) claim(path string) (name string, was *files.Answer, err error) {
	name, was, err = p.dir.Target(param, path)
	if err == nil && p.taken[name] {
		err = fmt.Errorf("%s: the patch has two parts for %s; put all its changes into one part", param, workspace.Display(name))
	}
	p.taken[name] = true
	return name, was, err
}

// did returns the verb and the details of the change, for the summary.
func (f planned) did() string {
	switch {
	case f.kind == add:
		return "added"
	case f.kind == remove:
		return "deleted"
	case f.moveTo != "":
		return "moved"
	}
	return "updated"
}

// details describes the changes for programs.
func (p *plan) details() map[string]any {
	changes := make([]any, len(p.files))
	for i, f := range p.files {
		change := map[string]any{"path": f.name, "change": f.did()}
		if f.moveTo != "" {
			change["movedTo"] = f.moveTo
		}
		changes[i] = change
	}
	return map[string]any{"files": changes}
}

// counts returns the number of files for each kind of change.
func (p *plan) counts() map[string]any {
	counts := map[string]int{}
	for _, f := range p.files {
		counts[f.did()]++
	}
	metadata := map[string]any{}
	for did, count := range counts {
		metadata[did] = count
	}
	return metadata
}
