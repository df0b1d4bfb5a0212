package remembered

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the lock if nobody has it.
func tryLock(file *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// exposed has nothing to say: the modes that Go shows on Windows are made up, and a
// folder in a user's profile is that user's alone.
func exposed(fs.FileInfo, string) string { return "" }

// syncDir has nothing to do: Windows writes names with the file.
func syncDir(*os.Root) error { return nil }
