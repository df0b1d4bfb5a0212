package hostfuncs

import (
	"errors"
	"io"
	"os"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

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
