package commands

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

var mkdir = spec{
	name: "mkdir", synopsis: "[-pv] [-m MODE] DIRECTORY...",
	options: "p,parents m,mode: v,verbose",
	run:     runMkdir,
}

func runMkdir(p *process, o options, names []string) int {
	if len(names) == 0 {
		return p.fail("missing operand")
	}
	var change func(fs.FileMode, bool) fs.FileMode
	if o.has("m") {
		var err error
		if change, err = parseMode(o.value("m", "")); err != nil {
			return p.fail("invalid mode '%s'", o.value("m", ""))
		}
	}
	for _, name := range names {
		m := directoryMaker{p: p, verbose: o.has("v")}
		var err error
		if o.has("p") {
			err = m.all(name)
		} else {
			err = m.one(name)
		}
		if err == nil && change != nil && m.made {
			err = os.Chmod(p.path(name), change(0o777, true))
		}
		if err != nil {
			p.errorf("cannot create directory '%s': %s", cmp.Or(m.failed, name), message(err))
		}
	}
	return p.status
}

// directoryMaker creates directories for one run of mkdir.
type directoryMaker struct {
	p       *process
	verbose bool
	made    bool
	failed  string // the parent that could not be created
}

func (m *directoryMaker) one(name string) error {
	err := os.Mkdir(m.p.path(name), 0o777)
	if m.made = err == nil; m.made && m.verbose {
		m.p.printf("mkdir: created directory '%s'\n", strings.TrimSuffix(name, "/"))
	}
	return err
}

// all creates a directory and its missing parent directories.
func (m *directoryMaker) all(name string) error {
	m.made = false
	info, err := os.Stat(m.p.path(name))
	switch {
	case err == nil && info.IsDir():
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		m.failed = path.Dir(path.Clean(name))
		return err
	}
	if parent := path.Dir(path.Clean(name)); err != nil && parent != "." && parent != "/" && parent != ".." {
		if err := m.all(parent); err != nil {
			return err
		}
	}
	return m.one(name)
}
