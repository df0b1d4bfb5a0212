package commands

import (
	"io/fs"
	"os"
	"path"
	"syscall"
)

// walkStep tells a walk how to continue after a visit.
type walkStep int

const (
	descend walkStep = iota
	skipDirectory
)

// found is a file that a walk visits.
type found struct {
	name  string // as printed: the starting point, and the path below it
	path  string // absolute
	depth int
	info  fs.FileInfo // describes a link itself, not its target
}

// walk visits a file and everything below it, ordered by name. It visits a directory before its
// content, or after its content if the field after is set. It calls report for files that can't be
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

// join joins a directory, as written on the command line, and a name.
func join(directory, name string) string {
	if directory != "" && directory[len(directory)-1] == '/' {
		return directory + name
	}
	return directory + "/" + name
}
