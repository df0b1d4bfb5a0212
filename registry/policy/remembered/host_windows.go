package remembered

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the lock if it is free.
func tryLock(file *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// exposed returns "": Windows has no such modes, and only the user can access a directory in the
// user's profile.
func exposed(fs.FileInfo, string) string { return "" }

// syncDir does nothing: Windows writes names together with the file.
func syncDir(*os.Root) error { return nil }
