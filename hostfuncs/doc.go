// Package hostfuncs holds what a guest may reach, as plain Go: the file system of
// a call, its clock and its randomness. It knows nothing of WASM, tools or
// manifests; adapters elsewhere give these to a guest.
//
// # Files
//
// An FS is everything that one call sees of the host's files: a synthetic root
// that holds the granted mounts, each backed by an os.Root. It is read-only.
// Regular files and directories open, nothing else does, and opening never blocks
// on a FIFO or a device. Links are followed while they stay inside their mount. A
// mount with deny patterns follows no link at all, because a link is a second
// name for a denied path.
//
// What it cannot stop: a hard link inside a mount to a file outside, or to a
// denied file, that was there before; and a directory that the host has mounted
// at a second place. Both look like ordinary files.
package hostfuncs
