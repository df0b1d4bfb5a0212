package schedule

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/callqueue"
)

// Reach is what a call can get in the way of. The zero value is anything.
type Reach struct {
	// ReadOnly is that of a call that can only read, or that will not run.
	ReadOnly bool
	// File is a path on the host if the call changes that alone.
	File string
}

// ReachOf returns the Reach of a call in the sandbox. File is the path that the call says it
// changes, as the guest sees it; "" if it does not say.
func ReachOf(grant capability.Grant, file string) Reach {
	if grant.Effects().ReadOnly {
		return Reach{ReadOnly: true}
	}
	if len(grant.Net) > 0 || grant.KV == capability.ModeWrite {
		return Reach{}
	}
	changed, _ := changedFile(grant, file)
	return Reach{File: changed}
}

// Beside reports whether two calls may run at the same time without getting in each other's
// way: if both only read, or change different files.
func (r Reach) Beside(other Reach) bool {
	return r.ReadOnly && other.ReadOnly || r.File != "" && other.File != "" && !callqueue.Overlap(r.File, other.File)
}

// Changes returns the paths on the host that a call in the sandbox may change: that of the
// file that it says it changes, as in ReachOf, or all that it may write to.
func Changes(grant capability.Grant, file string) []string {
	var dirs []string
	for _, m := range grant.FS {
		if m.Mode == capability.ModeWrite && m.Mount != capability.ScratchMount {
			dirs = append(dirs, absolute(m.Dir))
		}
	}
	if changed, ok := changedFile(grant, file); ok && len(dirs) > 0 {
		return []string{changed}
	}
	return dirs
}

// changedFile is where a file of the guest lies on the host. It is false when there is none,
// or none that is clearly below a mount for writing.
func changedFile(grant capability.Grant, name string) (string, bool) {
	if name == "" {
		return "", false
	}
	for _, m := range grant.FS {
		if m.Mount == capability.WorkspaceMount && !path.IsAbs(name) {
			name = path.Join(m.GuestPath(), name) // relative paths of guests begin there
		}
	}
	name = path.Clean(name)
	for _, m := range grant.FS {
		if rest, below := strings.CutPrefix(name, m.GuestPath()+"/"); below && m.Mode == capability.ModeWrite && m.Dir != "" {
			return filepath.Join(absolute(m.Dir), filepath.FromSlash(rest)), true
		}
	}
	return "", false
}

func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}
