// Package files is the file system that a guest sees during one call. It knows nothing
// of WASM, tools or manifests.
//
// An FS is everything that one call sees of the host's files: a synthetic root
// that holds the granted mounts, each backed by an os.Root. Regular files and
// directories open, nothing else does, and opening never blocks on a FIFO or a
// device. Links are followed while they stay inside their mount. A mount with deny
// patterns follows no link at all, because a link is a second name for a denied
// path.
//
// # Writing
//
// A mount granted for writing lets files and directories be created, changed,
// moved within the mount and removed, under the limits of Options. Nothing is
// created through a link, no link is made, and no owners and permission bits are set
// but those that a replaced file had. Opening never truncates: what was opened is
// looked at first. Where a denied path could lie in a directory, that is neither
// moved nor removed. A mount for reading stays as it is, whatever is granted
// beside it.
//
// Two conventions serve tools: files whose names begin with TempPrefix do not stay
// behind, and the mount "tmp" is an empty directory for one call. View.Replace gives a
// file a new content as a whole, if it is still the one that the guest has seen.
//
// What an FS cannot stop: a hard link inside a mount to a file outside, or to a
// denied file, that was there before; and a directory that the host has mounted
// at a second place. Both look like ordinary files, for writing too. Two calls that
// write one file meet as two programs do.
package files
