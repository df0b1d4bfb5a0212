package files

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// TempPrefix is the prefix of the names of temporary files. A tool replaces a file atomically if it
// writes a temporary file in the same directory and renames it. If the tool is stopped in between,
// the temporary file is removed: at the end of a call, all files with this prefix that the call
// created and that still exist are deleted. Empty directories with such names are removed as well.
const TempPrefix = ".wasmtool-tmp-"

// hostTempPrefix is the prefix of the temporary files that View.Replace writes. No guest can see or
// name them. Their content belongs to a file that deny patterns may hide from another call in the
// same directory.
const hostTempPrefix = TempPrefix + "host-"

// isHostTemp reports whether a cleaned path names a temporary file of View.Replace, or leads
// through a directory with such a name.
func isHostTemp(rel string) bool {
	return strings.HasPrefix(rel, hostTempPrefix) || strings.Contains(rel, "/"+hostTempPrefix)
}

// tempName is a path in a mount whose last element begins with TempPrefix.
type tempName struct {
	mount *mount
	rel   string
}

// tempNames holds the temporary files that a call created, by their current names.
type tempNames map[tempName]fs.FileInfo

// add records a file if it is a temporary one.
func (t tempNames) add(p place, info fs.FileInfo) {
	if strings.HasPrefix(path.Base(p.rel), TempPrefix) {
		t[tempName{p.mount, p.rel}] = info
	}
}

// replace records that one file has replaced another. The parameter before describes the old file,
// and is nil if there was none; now describes the new file. It records nothing if now is not a
// temporary file, or if the call did not create the old file.
func (t tempNames) replace(p place, before, now fs.FileInfo) {
	if own := t[tempName{p.mount, p.rel}]; before == nil || own != nil && os.SameFile(own, before) {
		t.add(p, now)
	}
}

// rename records that a file has moved, together with everything in it if it is a directory.
func (t tempNames) rename(from, to place) {
	for name, info := range t {
		rest, ok := below(from.rel, name.rel)
		if !ok || name.mount != from.mount {
			continue
		}
		delete(t, name)
		moved := to
		moved.rel = path.Join(to.rel, rest)
		t.add(moved, info)
	}
}

// remove removes the files, and the content of a directory before the directory. It leaves files
// that another process has put in their place, and files that cannot be removed.
func (t tempNames) remove() {
	if len(t) == 0 {
		return // the common case; sorting an empty list would allocate
	}
	longestFirst := func(a, b tempName) int { return len(b.rel) - len(a.rel) }
	for _, name := range slices.SortedFunc(maps.Keys(t), longestFirst) {
		name.mount.removeSame(name.rel, t[name])
	}
}

// checkScratch refuses a grant that means something else than a new directory.
func checkScratch(g capability.GrantedFS) error {
	switch {
	case g.Dir != "":
		return errors.New("is reserved for the private directory of a call; give the directory another name")
	case g.Mode != capability.ModeWrite:
		return errors.New("is an empty directory, which is useless for reading; grant write")
	}
	return nil
}

// laterDir is a scratch directory that is made when it is first used. Most calls never use it, and
// making and removing one takes longer than a short call.
type laterDir struct {
	open func() error
	once sync.Once
	err  error       // of open, or fs.ErrClosed
	made atomic.Bool // there is a directory to remove
}

// use makes the directory, unless it exists or the call has ended.
func (d *laterDir) use() error {
	d.once.Do(func() {
		d.err = d.open()
		d.made.Store(d.err == nil)
	})
	return d.err
}

// end prevents that the directory is made later, and reports whether it exists.
func (d *laterDir) end() bool {
	d.once.Do(func() { d.err = fs.ErrClosed })
	return d.made.Load()
}

// newScratch creates the directory of a scratch mount, accessible only to the user of this process,
// and returns its path.
func newScratch(o Options) (string, error) {
	dir, err := os.MkdirTemp(o.ScratchIn, "wasmtool-tmp-*")
	if err != nil {
		return "", errors.New("no temporary directory can be created; free space on the disk, or set TMPDIR to a writable directory")
	}
	return dir, nil
}

// emptyScratch removes the content of the scratch directory. It uses the open directory and follows
// no link, so it stays inside even if the path was redirected. The limit on created files limits
// the work.
func (m *mount) emptyScratch() error {
	dir, err := m.root.Open(".")
	if err != nil {
		return guestError(err)
	}
	defer dir.Close()
	var failed error
	for {
		entries, err := dir.Readdirnames(1024)
		for _, name := range entries {
			if err := m.root.RemoveAll(name); err != nil {
				failed = guestError(err)
			}
		}
		if err == io.EOF {
			return failed
		}
		if err != nil {
			return guestError(err)
		}
	}
}

// removeScratch removes an empty scratch directory; it has no effect for an empty path.
func removeScratch(dir string) error {
	if dir == "" {
		return nil
	}
	return guestError(os.Remove(dir))
}
