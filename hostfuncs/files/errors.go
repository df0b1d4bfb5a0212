package files

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// The errors of the guest's file system, beside fs.ErrNotExist, fs.ErrPermission,
// fs.ErrExist, fs.ErrInvalid and fs.ErrClosed. They arrive wrapped in an *fs.PathError that
// holds the guest path; compare with errors.Is. No error text holds a host path.
var (
	// ErrReadOnly answers anything that would create or change a file in a mount
	// that is granted for reading, or in the directories that hold the mounts.
	ErrReadOnly = errors.New("read-only file system")
	// ErrOutside answers a path or a link that leads out of its mount. It is an
	// fs.ErrPermission too.
	ErrOutside = fmt.Errorf("leads out of the mount: %w", fs.ErrPermission)
	// ErrLoop answers a link where none may be, and links that go in circles.
	ErrLoop = errors.New("is a link, or has too many links on the way")
	// ErrNotDir answers a path that needs a directory where there is none.
	ErrNotDir = errors.New("not a directory")
	// ErrIsDir answers reading a directory as a file.
	ErrIsDir = errors.New("is a directory")
	// ErrNameTooLong answers a path over 4,096 bytes, a name over 255 bytes, and a
	// path more than 128 directories deep.
	ErrNameTooLong = errors.New("name too long")
	// ErrTooManyOpen answers opening when as many files are open as may be, or as
	// the host has room for.
	ErrTooManyOpen = errors.New("too many open files")
	// ErrTooLarge answers listing a directory with more entries than are kept.
	ErrTooLarge = errors.New("too many directory entries")
	// ErrNotEmpty answers removing a directory that holds something, and renaming
	// another over it.
	ErrNotEmpty = errors.New("directory not empty")
	// ErrAccess answers writing to a file that was opened for reading only, and
	// reading one that was opened for writing only.
	ErrAccess = errors.New("not open for that")
	// ErrCrossMount answers renaming from one mount to another.
	ErrCrossMount = errors.New("lies in another mount")
	// ErrUnsupported answers what the host cannot do.
	ErrUnsupported = errors.New("not supported by the host")
	// ErrLimit answers what would pass a limit of the call on bytes written, the
	// size of a file or the number of files created; FS.LimitHit says which.
	ErrLimit = errors.New("limit of the call reached")
	// ErrChanged answers replacing a file that is not the one that the guest has seen.
	ErrChanged = errors.New("changed meanwhile")
	// ErrNoRoom answers a file of a Batch for which the room did not suffice.
	ErrNoRoom = errors.New("no room left in the buffer")
	// ErrOverSize answers a file of a Batch that is larger than was asked for.
	ErrOverSize = errors.New("file too large")
	// ErrIO stands for every other failure of the host.
	ErrIO = errors.New("input/output error")
)

// MountError says why a directory cannot be mounted. Its text names the mount and
// not the host path, because it may reach a guest or a result.
type MountError struct {
	// Mount is the operator's name for the directory.
	Mount string
	// Reason says what is wrong and how to put it right.
	Reason string
}

// Error returns "mount NAME: REASON".
func (e *MountError) Error() string { return "mount " + e.Mount + ": " + e.Reason }

// hostErrors maps what the host may report to what a guest may learn, first match
// first. On Windows ENOTDIR is also fs.ErrNotExist, so that goes before.
var hostErrors = []struct{ host, guest error }{
	{fs.ErrClosed, fs.ErrClosed},
	{syscall.ENOTEMPTY, ErrNotEmpty}, // which is fs.ErrExist too
	{fs.ErrExist, fs.ErrExist},
	{fs.ErrNotExist, fs.ErrNotExist},
	{fs.ErrPermission, fs.ErrPermission},
	{syscall.ELOOP, ErrLoop},
	{syscall.ENOTDIR, ErrNotDir},
	{syscall.EISDIR, ErrIsDir},
	{syscall.ENAMETOOLONG, ErrNameTooLong},
	{fs.ErrInvalid, fs.ErrInvalid},
	{ErrUnsupported, ErrUnsupported},
	{syscall.EINVAL, fs.ErrInvalid},
	{syscall.EMFILE, ErrTooManyOpen},
	{syscall.ENFILE, ErrTooManyOpen},
	{syscall.EROFS, ErrReadOnly},
	{syscall.EXDEV, ErrCrossMount},
	{syscall.EBUSY, fs.ErrPermission},
	{syscall.ETXTBSY, fs.ErrPermission},
	{syscall.ENXIO, fs.ErrPermission}, // a FIFO that nobody reads
}

// guestError maps an error of package os to one of this package's. The result
// wraps nothing of err, whose text holds a host path.
func guestError(err error) error {
	if err == nil {
		return nil
	}
	for _, e := range hostErrors {
		if errors.Is(err, e.host) {
			return e.guest
		}
	}
	return ErrIO
}

// pathError adds the operation and the guest path to an error of this package; nil stays nil.
func pathError(op, guestPath string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: guestPath, Err: err}
}
