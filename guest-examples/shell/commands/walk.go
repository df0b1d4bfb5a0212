package commands

import (
	"io/fs"
	"os"
	"path"
	"syscall"
)

// walkStep is how a walk continues.
type walkStep int

const (
	descend walkStep = iota
	skipDirectory
)

// found is a file that a walk visits.
type found struct {
	name  string // as shown: the start, and the path below it
	path  string // absolute
	depth int
	info  fs.FileInfo // of a link itself, not of its target
}

// walk visits a file and everything below it, ordered by name. Directories come before their
// content or, if after is set, after it. report is called for files that can't be read.
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
	if !after && visit(f) == skipDirectory {
		return
	}
	if f.info.IsDir() {
		p.walkDirectory(f, after, visit, report)
	}
	if after {
		visit(f)
	}
}

func (p *process) walkDirectory(f found, after bool, visit func(f found) walkStep, report func(name string, err error)) {
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

// join appends a name to a directory as it was given.
func join(directory, name string) string {
	if directory != "" && directory[len(directory)-1] == '/' {
		return directory + name
	}
	return directory + "/" + name
}
