package commands

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

var rm = spec{
	name: "rm", synopsis: "[-dfrv] FILE...",
	options: "r,recursive R f,force v,verbose d,dir i I interactive:: preserve-root::",
	note:    "-i is refused: there is no terminal.",
	run:     runRm,
}

var rmdir = spec{
	name: "rmdir", synopsis: "[-pv] DIRECTORY...",
	options: "p,parents v,verbose ignore-fail-on-non-empty",
	run:     runRmdir,
}

func runRm(p *process, o options, names []string) int {
	if when := o.value("interactive", "always"); o.has("i") || o.has("I") || o.has("interactive") && when != "never" && when != "no" && when != "none" {
		return p.fail("-i and -I are not supported: there is no terminal; omit them")
	}
	if len(names) == 0 {
		if o.has("f") {
			return 0
		}
		return p.fail("missing operand")
	}
	recursive := o.has("r") || o.has("R")
	for _, name := range names {
		if p.stopped() {
			break
		}
		file := p.path(name)
		switch base := path.Base(name); {
		case recursive && file == "/":
			p.errorf("it is dangerous to operate recursively on '/'")
			continue
		case recursive && (base == "." || base == ".."):
			p.errorf("refusing to remove '.' or '..' directory: skipping '%s'", name)
			continue
		}
		info, err := os.Lstat(file)
		switch {
		case err != nil:
			if !o.has("f") || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
				p.errorf("cannot remove '%s': %s", name, message(err))
			}
			continue
		case info.IsDir() && !recursive && !o.has("d"):
			p.errorf("cannot remove '%s': %s", name, message(syscall.EISDIR))
			continue
		case info.IsDir() && recursive:
			p.removeAll(name, o.has("v"))
			continue
		}
		p.remove(found{name: name, path: file, info: info}, o.has("v"))
	}
	return p.status
}

func (p *process) remove(f found, verbose bool) {
	if err := os.Remove(f.path); err != nil {
		p.errorf("cannot remove '%s': %s", f.name, message(err))
		return
	}
	if verbose {
		kind := ""
		if f.info.IsDir() {
			kind = "directory "
		}
		p.printf("removed %s'%s'\n", kind, f.name)
	}
}

// removeAll removes a directory with its content.
func (p *process) removeAll(name string, verbose bool) {
	p.walk(name, walkRules{after: true}, func(f found) walkStep {
		p.remove(f, verbose)
		return descend
	}, func(name string, err error) { p.errorf("cannot remove '%s': %s", name, message(err)) })
}

func runRmdir(p *process, o options, names []string) int {
	if len(names) == 0 {
		return p.fail("missing operand")
	}
	for _, name := range names {
		for {
			if o.has("v") {
				p.printf("rmdir: removing directory, '%s'\n", name)
			}
			if err := removeDirectory(p.path(name)); err != nil {
				if !o.has("ignore-fail-on-non-empty") || !errors.Is(err, syscall.ENOTEMPTY) {
					p.errorf("failed to remove '%s': %s", name, message(err))
				}
				break
			}
			if name = path.Dir(strings.TrimRight(name, "/")); !o.has("p") || name == "." || name == "/" {
				break
			}
		}
	}
	return p.status
}

// removeDirectory removes an empty directory. It returns an error for a file.
func removeDirectory(name string) error {
	info, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return syscall.ENOTDIR
	}
	return os.Remove(name)
}
