package capability

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// ScratchMount is the reserved name of a mount that is not one of the operator's directories. Each
// call gets its own empty directory, which is removed with its content after the call. The mount
// needs no grant, but it can be denied.
const ScratchMount = "tmp"

// WorkspaceMount is the name of the mount in which file tools work and in which relative guest
// paths begin. It is an ordinary directory of the operator.
const WorkspaceMount = "workspace"

// FS requests a directory that the operator binds to a name, or scratch space under the name
// ScratchMount.
type FS struct {
	// Mount is the operator's name for the directory, such as "workspace".
	Mount string
	// At is the absolute, cleaned guest path of the mount; empty means "/" + Mount.
	At string
	// Mode is the requested access.
	Mode Mode
	// Deny lists slash-separated patterns of paths below the mount that are never accessible, even
	// if the mount is granted. "**" matches any number of directories; "x/**" includes x.
	Deny []string
	// Others also requests every other workspace of the operator; see [Permissions.WithOthers].
	Others bool
}

// GuestPath returns the path of the mount in the guest.
func (f FS) GuestPath() string {
	if f.At == "" {
		return path.Join("/", f.Mount)
	}
	return f.At
}

// Describe returns the permission with all its details: "read:workspace at /workspace, but not
// .git/**".
func (f FS) Describe() string {
	text := f.permission().String() + " at " + f.GuestPath()
	if len(f.Deny) > 0 {
		text += ", but not " + strings.Join(f.Deny, ", ")
	}
	if f.Others {
		text += ", and the operator's other workspaces"
	}
	return text
}

func (f FS) permission() Permission { return modePermission(KindRead, f.Mode, f.Mount) }

func (f FS) clone() FS {
	f.Deny = slices.Clone(f.Deny)
	return f
}

// Mount is a host directory that is grantable.
type Mount struct {
	// Dir is the host path. It must not appear in a guest, a result or an error message.
	Dir string
	// Mode is the maximum access.
	Mode Mode
	// Workspace makes the directory a workspace: a tool that requests all workspaces gets it
	// without naming it. Without it, only tools that name the mount get the directory.
	Workspace bool
}

// GrantedFS is a mount that a call may access.
type GrantedFS struct {
	FS
	// Dir is the host path of the mount; empty for ScratchMount.
	Dir string
	// Is identifies the directory that a person approved. When Dir is opened, it must lead to that
	// directory. Nil accepts any directory.
	Is fs.FileInfo
	// Real is Dir with all links resolved, or empty if it was not resolved. Like Dir, it is only
	// for the operator.
	Real string
	// Outside marks a path that a person approved for one call and that is not one of the
	// operator's mounts. It must not touch a protected path, not even for reading.
	Outside bool
	// Only is the only name in Dir that the call may access: a regular file and no link. Empty
	// means all names. Of the directory itself, the call sees no other entry.
	Only string
	// OnlyIs identifies the file Only that a person approved. When Dir is opened, Only must be that
	// file; nil means that Only must not exist. In a mount for reading, that stays so for the whole
	// call. In a mount for writing, the call may replace the file.
	OnlyIs fs.FileInfo
}

// Mode is the access to a mount or store. The zero value means no access.
type Mode uint8

// The modes. Each mode includes the modes before it.
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
