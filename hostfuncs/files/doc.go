// Package files implements the file system that a guest sees during one call. It knows nothing
// about WASM, tools or manifests.
//
// An [FS] contains all host files that one call sees: a synthetic root that holds the granted
// mounts, each backed by an os.Root. Only regular files and directories can be opened, and opening
// never blocks on a FIFO or a device. Links are followed as long as they stay inside their mount.
// In a mount with deny patterns, a link could be a second name for a denied path. There, reading
// follows a link only to a path that is not denied, and an operation that changes files fails for
// every path that contains a link.
//
// # Writing
//
// In a mount granted for writing, files and directories can be created, changed, moved within the
// mount and removed, within the limits of [Options]. No file is created through a link, and no link
// is created. Owners and permission bits are never set, except that a file takes over both from the
// file that it replaces. Opening a file does not truncate it; a file is truncated only after it was
// opened and checked. A directory that may contain a denied path can be neither moved nor removed.
// A mount granted for reading cannot be changed, regardless of other grants.
//
// Two conventions serve tools. Files whose names begin with [TempPrefix] are removed when the call
// ends, and the mount "tmp" is an empty directory for one call. [View.Replace] replaces a whole
// file atomically, provided that it is still the file that the guest has seen.
//
// A mount may already contain a hard link to a file outside the mount, or to a denied file. An FS
// cannot recognise such a link. It also cannot recognise a directory that the host has mounted a
// second time. Both look like ordinary files, for reading and for writing. Two calls that write to
// the same file interfere like two programs.
package files
