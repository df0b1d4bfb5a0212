package schedule

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/callqueue"
)

// Reach describes what a call may change, to find calls that conflict. The zero value means that
// the call may change anything.
type Reach struct {
	// ReadOnly is set for a call that only reads, or that will not run.
	ReadOnly bool
	// File is the path on the host of the only file that the call may change, or "".
	File string
}

// ReachOf returns the Reach of a call in the sandbox. file is the guest's path of the only file
// that the tool declares to change; "" means that the tool does not declare it.
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

// Independent reports whether two calls may run concurrently: both only read, or they change
// different files.
func (r Reach) Independent(other Reach) bool {
	return r.ReadOnly && other.ReadOnly || r.File != "" && other.File != "" && !callqueue.Overlap(r.File, other.File)
}

// Changes returns the paths on the host that a call in the sandbox may change: the path of file,
// with the same meaning as in [ReachOf], or all directories that the call may write to.
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

// changedFile returns the path on the host for a guest's path. It returns false if name is empty,
// or if the path is not clearly below a writable mount.
func changedFile(grant capability.Grant, name string) (string, bool) {
	if name == "" {
		return "", false
	}
	for _, m := range grant.FS {
		if m.Mount == capability.WorkspaceMount && !path.IsAbs(name) {
			name = path.Join(m.GuestPath(), name) // guests resolve relative paths in the workspace
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
