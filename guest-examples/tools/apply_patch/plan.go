package applypatch

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest/files"
)

// plan is the list of changes that a patch makes, checked as far as possible without making them.
type plan struct {
	dir   workspace.Dir
	files []planned
	taken map[string]bool // names of the files that have a part in the patch
	total int             // bytes read
}

// planned is the change to one file.
type planned struct {
	kind     kind
	name     string
	moveTo   string        // the new name; "" if the file is not moved
	was      *files.Answer // nil for an added file
	old, new []byte        // contents; nil if there is none
	report   string
	notes    []string
}

// add checks a part and adds it to the plan.
func (p *plan) add(part filePatch) error {
	name, was, err := p.claim(part.path)
	if err != nil {
		return err
	}
	f := planned{kind: part.kind, name: name, was: was}
	shown := workspace.Display(name)
	if part.kind == add {
		if was != nil {
			return fmt.Errorf("%s: %s exists, but the patch adds it; update it instead", param, shown)
		}
		f.new = []byte(part.content)
		f.report = fmt.Sprintf("%s %s (%s)", f.did(), shown, toolabi.Quantity(strings.Count(part.content, "\n"), "line"))
		p.files = append(p.files, f)
		return nil
	}
	if was == nil {
		return workspace.Explain(p.dir.FS, param, name, fs.ErrNotExist)
	}
	if f.old, err = p.dir.Load(param, name, was, maxFile); err != nil {
		return err
	}
	if p.total += len(f.old); p.total > maxTotal {
		return fmt.Errorf("%s: the files have more than %d bytes together; patch fewer at a time", param, maxTotal)
	}
	if part.kind == remove {
		f.report = f.did() + " " + shown
		p.files = append(p.files, f)
		return nil
	}
	if err := p.update(&f, part); err != nil {
		return err
	}
	p.files = append(p.files, f)
	return nil
}

// update stores the changes of a part in f.
func (p *plan) update(f *planned, part filePatch) (err error) {
	shown := workspace.Display(f.name)
	if part.moveTo != "" {
		to, there, err := p.claim(part.moveTo)
		if err != nil {
			return err
		}
		if there != nil {
			return fmt.Errorf("%s: %s exists, but the patch moves %s there; delete it first", param, workspace.Display(to), shown)
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
		return fmt.Errorf("%s: %s would have more than %d bytes", param, shown, maxFile)
	case bytes.Equal(f.old, f.new) && f.moveTo == "":
		return fmt.Errorf("%s: the part for %s changes nothing", param, shown)
	}
	f.report += " (" + describe(part.hunks) + ")"
	return nil
}

// claim resolves a path of the patch. It is an error if another part has the same path.
func (p *plan) claim(path string) (name string, was *files.Answer, err error) {
	name, was, err = p.dir.Target(param, path)
	if err == nil && p.taken[name] {
		err = fmt.Errorf("%s: %s has two parts; put all its changes into one", param, workspace.Display(name))
	}
	p.taken[name] = true
	return name, was, err
}

// did describes the change to the file.
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

// counts returns the number of files by kind of change.
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
