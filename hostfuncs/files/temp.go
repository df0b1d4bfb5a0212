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

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// TempPrefix is how the name of a temporary file begins. A tool that writes a file
// beside another and renames it over that one replaces it in one step; given such a
// name, the file does not stay behind when the tool is stopped in between: at the
// end of a call, those that it created and that are still there are removed. A
// directory of such a name goes too if it is empty.
const TempPrefix = ".wasmtool-tmp-"

// hostTempPrefix is how the name of a file begins that View.Replace writes beside another. No
// guest sees or names one: its content and its place are those of a file that patterns may deny
// to the guest of another call in the same directory.
const hostTempPrefix = TempPrefix + "host-"

// isHostTemp reports whether a cleaned path names such a file, or leads through its name.
func isHostTemp(rel string) bool {
	return strings.HasPrefix(rel, hostTempPrefix) || strings.Contains(rel, "/"+hostTempPrefix)
}

// tempName is a path in a mount whose last name begins with TempPrefix.
type tempName struct {
	mount *mount
	rel   string
}

// tempNames are the temporary files that a call created, by where they are now.
type tempNames map[tempName]fs.FileInfo

// add notes a file if it is a temporary one.
func (t tempNames) add(p place, info fs.FileInfo) {
	if strings.HasPrefix(path.Base(p.rel), TempPrefix) {
		t[tempName{p.mount, p.rel}] = info
	}
}

// replace notes the new file if it is a temporary one and takes the place of nothing, or of one
// that the call created.
func (t tempNames) replace(p place, before, now fs.FileInfo) {
	if own := t[tempName{p.mount, p.rel}]; before == nil || own != nil && os.SameFile(own, before) {
		t.add(p, now)
	}
}

// rename notes that a file has moved, and with a directory what lies in it.
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

// remove removes the files, what lies in a directory before the directory. One
// that another has put in the place of a file stays, and so does what cannot be
// removed.
func (t tempNames) remove() {
	if len(t) == 0 {
		return // as in most calls: sorting nothing allocates
	}
	longestFirst := func(a, b tempName) int { return len(b.rel) - len(a.rel) }
	for _, name := range slices.SortedFunc(maps.Keys(t), longestFirst) {
		name.mount.removeSame(name.rel, t[name])
	}
}

// newScratch makes the directory behind a scratch mount, open to the user of this
// process only, and returns its path.
func newScratch(g capability.GrantedFS, o Options) (string, error) {
	if g.Dir != "" {
		return "", errors.New("is the private directory of a call; give the directory another name")
	}
	if g.Mode != capability.ModeWrite {
		return "", errors.New("is an empty directory, of no use for reading; grant write")
	}
	dir, err := os.MkdirTemp(o.ScratchIn, "wasmtool-tmp-*")
	if err != nil {
		return "", errors.New("no temporary directory can be made; make room, or set TMPDIR to a directory that can be written to")
	}
	return dir, nil
}

// emptyScratch removes all that the scratch directory holds. It goes by the open
// directory and follows no link, so it stays inside whatever was done to the path.
// The limit on created files bounds the work.
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

// removeScratch removes an empty scratch directory, and nothing for no path.
func removeScratch(dir string) error {
	if dir == "" {
		return nil
	}
	return guestError(os.Remove(dir))
}
