package commands

import (
	"io/fs"
	"os"
	"path"
	"syscall"
)

// walkStep says how a walk goes on.
type walkStep int

const (
	descend walkStep = iota
	skipFolder
)

// found is a file that a walk came to.
type found struct {
	name  string // as it is shown: the start, and what is below it
	path  string // absolute
	depth int
	info  fs.FileInfo // of a link, not of what it leads to
}

// walk visits a file and all below it, in the order of the names, folders before
// what is in them or, if after is set, behind it. report gets what cannot be
// read.
func (p *process) walk(start string, after bool, visit func(f found) walkStep, report func(name string, err error)) {
	info, err := os.Lstat(p.path(start))
	if err != nil {
		report(start, err)
		return
	}
	p.walkFrom(found{start, p.path(start), 0, info}, after, visit, report)
}

func (p *process) walkFrom(f found, after bool, visit func(f found) walkStep, report func(name string, err error)) {
	if p.stopped() {
		return
	}
	if !after && visit(f) == skipFolder {
		return
	}
	if f.info.IsDir() {
		p.walkFolder(f, after, visit, report)
	}
	if after {
		visit(f)
	}
}

func (p *process) walkFolder(f found, after bool, visit func(f found) walkStep, report func(name string, err error)) {
	if f.depth >= maxDepth {
		report(f.name, syscall.ENAMETOOLONG)
		return
	}
	entries, err := os.ReadDir(f.path)
	if err != nil {
		report(f.name, err)
		return
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			report(join(f.name, entry.Name()), err)
			continue
		}
		p.walkFrom(found{join(f.name, entry.Name()), path.Join(f.path, entry.Name()), f.depth + 1, info}, after, visit, report)
	}
}

// join appends a name to that of a folder as it was given.
func join(folder, name string) string {
	if folder != "" && folder[len(folder)-1] == '/' {
		return folder + name
	}
	return folder + "/" + name
}
