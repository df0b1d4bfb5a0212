package files

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Errors of the guest's file system, in addition to fs.ErrNotExist, fs.ErrPermission, fs.ErrExist,
// fs.ErrInvalid and fs.ErrClosed. They are wrapped in an *fs.PathError with the guest path; use
// errors.Is to compare. No error text contains a host path.
var (
	// ErrReadOnly means that the operation would create or change a file in a mount granted for
	// reading, or in a directory that holds mounts.
	ErrReadOnly = errors.New("read-only file system")
	// ErrOutside means that a path or a link leads out of its mount. It wraps fs.ErrPermission.
	ErrOutside = fmt.Errorf("leads out of the mount: %w", fs.ErrPermission)
	// ErrLoop means that the path is a link where none is allowed, or leads through too many links.
	ErrLoop = errors.New("is a link, or leads through too many links")
	// ErrNotDir means that a path requires a directory but names something else.
	ErrNotDir = errors.New("not a directory")
	// ErrIsDir means that a directory was used as a file.
	ErrIsDir = errors.New("is a directory")
	// ErrNameTooLong means that a path exceeds 4,096 bytes or 128 directories, or a name 255 bytes.
	ErrNameTooLong = errors.New("name too long")
	// ErrTooManyOpen means that the call or the host has too many open files.
	ErrTooManyOpen = errors.New("too many open files")
	// ErrTooLarge means that a directory has more entries than can be listed.
	ErrTooLarge = errors.New("too many directory entries")
	// ErrNotEmpty means that a directory to be removed or replaced is not empty.
	ErrNotEmpty = errors.New("directory not empty")
	// ErrAccess means that a file open only for reading was written, or the reverse.
	ErrAccess = errors.New("not open for this operation")
	// ErrCrossMount means that a file cannot be renamed to another mount.
	ErrCrossMount = errors.New("lies in another mount")
	// ErrUnsupported means that the host does not support the operation.
	ErrUnsupported = errors.New("not supported by the host")
	// ErrLimit means that the call would exceed its limit on bytes written, the size of a file or
	// the number of files created. FS.LimitHit names the limit.
	ErrLimit = errors.New("limit of the call reached")
	// ErrChanged means that the file to be replaced is not the one that the guest has seen.
	ErrChanged = errors.New("changed meanwhile")
	// ErrNoRoom means that a file of a Batch did not fit into the buffer.
	ErrNoRoom = errors.New("no room left in the buffer")
	// ErrOverSize means that a file of a Batch is larger than the requested maximum.
	ErrOverSize = errors.New("file too large")
	// ErrIO stands for all other failures of the host.
	ErrIO = errors.New("input/output error")
)

// MountError says why a directory cannot be mounted. Its text contains the name of the mount and
// not the host path, because it may reach a guest or a result.
type MountError struct {
	// Mount is the operator's name for the directory.
	Mount string
	// Reason says what is wrong and how to fix it.
	Reason string
}

// Error returns "mount NAME: REASON".
func (e *MountError) Error() string { return "mount " + e.Mount + ": " + e.Reason }

// hostErrors maps errors of the host to errors that a guest may see. The first match applies.
// ENOTDIR comes first, because on Windows it also matches fs.ErrNotExist.
var hostErrors = []struct{ host, guest error }{
	{fs.ErrClosed, fs.ErrClosed},
	{syscall.ENOTEMPTY, ErrNotEmpty}, // is also fs.ErrExist
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
	{syscall.ENXIO, fs.ErrPermission}, // a FIFO without a reader
}

// guestError maps an error of package os to an error of this package. The result does not wrap err,
// whose text contains a host path.
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

// pathError adds the operation and the guest path to an error of this package. It returns nil for
// nil.
func pathError(op, guestPath string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: guestPath, Err: err}
}
