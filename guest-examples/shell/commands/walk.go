package commands

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
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
	info  fs.FileInfo // describes a link itself, unless the walk follows it
}

// walkRules choose what a walk does. The zero value visits a directory before its content and
// follows no links.
type walkRules struct {
	after  bool // visit a directory after its content
	follow followed
}

// followed says which links are followed. A link to nothing is never followed.
type followed int

const (
	noLinks    followed = iota
	givenLinks          // those on the command line
	allLinks
)

// follows returns what the last of the options -L, -H and -P says.
func (o options) follows() followed {
	return map[string]followed{"L": allLinks, "H": givenLinks}[o.last("L", "H", "P")]
}

// info describes a file at a depth below the starting point.
func (f followed) info(file string, depth int) (fs.FileInfo, error) {
	info, err := os.Lstat(file)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 && (f == allLinks || f == givenLinks && depth == 0) {
		if target, err := os.Stat(file); err == nil {
			return target, nil
		}
	}
	return info, err
}

// walk visits a file and everything below it, ordered by name. It calls report for files that can't
// be read, and for links that lead to a directory above them.
func (p *process) walk(start string, rules walkRules, visit func(f found) walkStep, report func(name string, err error)) {
	info, err := rules.follow.info(p.path(start), 0)
	if err != nil {
		report(start, err)
		return
	}
	w := walker{p, rules, visit, report}
	w.file(found{start, p.path(start), 0, info}, nil)
}

// walker is one walk.
type walker struct {
	p      *process
	rules  walkRules
	visit  func(f found) walkStep
	report func(name string, err error)
}

// file visits a file. The parameter above has the directories above it, without links in their
// paths, if links are followed.
func (w walker) file(f found, above []string) {
	if w.p.stopped() {
		return
	}
	if !w.rules.after && w.visit(f) == skipDirectory {
		return
	}
	if f.info.IsDir() {
		w.directory(f, above)
	}
	if w.rules.after {
		w.visit(f)
	}
}

func (w walker) directory(f found, above []string) {
	if w.rules.follow == allLinks {
		var looped bool
		if above, looped = entered(above, f.path); looped {
			w.report(f.name, syscall.ELOOP)
			return
		}
	}
	if f.depth >= maxDepth {
		w.report(f.name, syscall.ENAMETOOLONG)
		return
	}
	entries, err := os.ReadDir(f.path)
	if err != nil {
		w.report(f.name, err)
		return
	}
	for _, entry := range entries {
		name, file := join(f.name, entry.Name()), path.Join(f.path, entry.Name())
		info, err := w.rules.follow.info(file, f.depth+1)
		if err != nil {
			w.report(name, err)
			continue
		}
		w.file(found{name, file, f.depth + 1, info}, above)
	}
}

// entered returns the directories above the entries of dir. looped reports that dir is one of those
// above it, so a walk that followed links would not end.
func entered(above []string, dir string) (all []string, looped bool) {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return append(slices.Clip(above), dir), slices.Contains(above, dir)
}

// join joins a directory, as written on the command line, and a name.
func join(directory, name string) string {
	if directory != "" && directory[len(directory)-1] == '/' {
		return directory + name
	}
	return directory + "/" + name
}
