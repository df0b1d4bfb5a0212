package hostfuncs

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openFlags open for reading. Nothing in a directory of Windows blocks on opening.
const openFlags = os.O_RDONLY

// systemDirs are never mounted: they hold secrets of the host.
func systemDirs() []string {
	dir, err := windows.GetSystemWindowsDirectory()
	if err != nil {
		return []string{`C:\Windows`}
	}
	return []string{dir}
}

// sameDevice matters for isKernelFS only.
func sameDevice(_, _ fs.FileInfo) bool { return true }
