package capability

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// ScratchMount is the reserved name of a mount that is no directory of the
// operator's: each call gets an empty one of its own, which is removed with all it
// holds when the call is over. It needs no offer, and none changes it; a denial
// takes it away.
const ScratchMount = "tmp"

// WorkspaceMount is the name of the mount that file tools work in and where relative paths of
// guests begin. It is a directory of the operator's like others.
const WorkspaceMount = "workspace"

// FS asks for a directory that the operator binds to a name, or for scratch space
// under the name ScratchMount.
type FS struct {
	// Mount is the operator's name for the directory, such as "workspace".
	Mount string
	// At is the absolute guest path of the mount, cleaned. Empty means "/" + Mount.
	At string
	// Mode is what the tool asks to do there.
	Mode Mode
	// Deny lists patterns of paths below the mount that stay out of reach, whoever
	// grants the mount. Slash-separated; "**" crosses directories; "x/**" includes x.
	Deny []string
}

// GuestPath returns where the guest sees the mount.
func (f FS) GuestPath() string {
	if f.At == "" {
		return path.Join("/", f.Mount)
	}
	return f.At
}

// Describe is the permission in words with all that belongs to it: "read:workspace
// at /workspace, but not .git/**".
func (f FS) Describe() string {
	text := f.word().String() + " at " + f.GuestPath()
	if len(f.Deny) > 0 {
		text += ", but not " + strings.Join(f.Deny, ", ")
	}
	return text
}

func (f FS) word() Permission { return modeWord(KindRead, f.Mode, f.Mount) }

func (f FS) clone() FS {
	f.Deny = slices.Clone(f.Deny)
	return f
}

// Mount is a directory of the host as the operator offers it.
type Mount struct {
	// Dir is the host path. It must not reach a guest, a result or an error text.
	Dir string
	// Mode is the most that may be done there.
	Mode Mode
}

// GrantedFS is a mount that a call may reach.
type GrantedFS struct {
	FS
	// Dir is the host path behind the mount; empty for ScratchMount.
	Dir string
	// Is is the directory that Dir has to lead to when it is opened, for a grant that somebody
	// approved; nil lets it be any.
	Is fs.FileInfo
	// Real is Dir with all links resolved, where somebody looked; else "". It is for the
	// operator alone, as Dir is.
	Real string
}

// Mode says what may be done below a mount or in a store. The zero value is no access.
type Mode uint8

// The modes, each including the ones before it.
const (
	ModeNone Mode = iota
	ModeRead
	ModeWrite
)

// String returns "none", "read" or "write".
func (m Mode) String() string {
	switch m {
	case ModeNone:
		return "none"
	case ModeRead:
		return "read"
	case ModeWrite:
		return "write"
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}
