package commands

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

var tree = spec{
	name: "tree", synopsis: "[-adfi] [-L LEVEL] [-I PATTERN] [-P PATTERN] [--noreport] [DIRECTORY]...",
	options: "a d f i F L: I: P: noreport dirsfirst n s h",
	run:     runTree,
}

// treeRun is one run of tree.
type treeRun struct {
	p                  *process
	o                  options
	level              int
	directories, files int
}

func runTree(p *process, o options, names []string) int {
	t := &treeRun{p: p, o: o, level: maxDepth}
	if o.has("L") {
		n, err := strconv.Atoi(o.value("L", ""))
		if err != nil || n < 1 {
			return p.fail("Invalid level, must be greater than 0.")
		}
		t.level = n
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	for _, name := range names {
		if !p.isDirectory(name) {
			p.print(name + "  [error opening dir]\n")
			p.status = 2
			continue
		}
		p.print(name + "\n")
		t.directories++
		t.directory(name, p.path(name), "", 1)
	}
	if !o.has("noreport") {
		// The number includes the starting directory, as in the original program.
		p.printf("\n%d %s", t.directories, plural(t.directories, "directory", "directories"))
		if !o.has("d") {
			p.printf(", %d %s", t.files, plural(t.files, "file", "files"))
		}
		p.print("\n")
	}
	return p.status
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (t *treeRun) directory(name, path, indent string, depth int) {
	if depth > t.level || t.p.stopped() {
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		t.p.errorf("%s: %s", name, message(err))
		return
	}
	var shown []fs.DirEntry
	for _, first := range []bool{true, false} {
		for _, entry := range entries {
			if t.shows(entry) && (!t.o.has("dirsfirst") && first || t.o.has("dirsfirst") && entry.IsDir() == first) {
				shown = append(shown, entry)
			}
		}
	}
	for i, entry := range shown {
		branch, below := "├── ", "│   "
		if i == len(shown)-1 {
			branch, below = "└── ", "    "
		}
		if t.o.has("i") {
			branch, below = "", ""
		}
		label := entry.Name()
		if t.o.has("f") {
			label = join(name, label)
		}
		if t.o.has("F") && entry.IsDir() {
			label += "/"
		}
		t.p.print(indent + branch + t.sizeOf(entry) + label + t.target(entry, path) + "\n")
		if !entry.IsDir() {
			t.files++
			continue
		}
		t.directories++
		t.directory(join(name, entry.Name()), path+"/"+entry.Name(), indent+below, depth+1)
	}
}

// sizeOf returns the size of a file in brackets, if an option asks for it.
func (t *treeRun) sizeOf(entry fs.DirEntry) string {
	if !t.o.has("s") && !t.o.has("h") {
		return ""
	}
	info, err := entry.Info()
	switch {
	case err != nil:
		return ""
	case t.o.has("h"):
		return fmt.Sprintf("[%4s]  ", humanSize(info.Size()))
	}
	return fmt.Sprintf("[%11d]  ", info.Size())
}

// target returns the target of a link.
func (t *treeRun) target(entry fs.DirEntry, dir string) string {
	if entry.Type()&fs.ModeSymlink == 0 {
		return ""
	}
	target, err := os.Readlink(dir + "/" + entry.Name())
	if err != nil {
		return ""
	}
	return " -> " + target
}

func (t *treeRun) shows(entry fs.DirEntry) bool {
	name := entry.Name()
	matches := func(globs []string) bool {
		for _, list := range globs {
			for glob := range strings.SplitSeq(list, "|") {
				if compileGlob(glob, false).MatchString(name) {
					return true
				}
			}
		}
		return false
	}
	switch {
	case name[0] == '.' && !t.o.has("a"), t.o.has("d") && !entry.IsDir(), matches(t.o.values("I")):
		return false
	}
	return entry.IsDir() || !t.o.has("P") || matches(t.o.values("P"))
}
