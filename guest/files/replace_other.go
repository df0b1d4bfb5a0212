//go:build !wasip1

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/wasmtool/wasmtool/guest/internal/host"
)

// replace returns a *host.Error, or the plain syscall.Errno of a failed system call.
func (d Dir) replace(name string, content []byte, seen *Answer) error {
	if seen != nil && seen.Err != nil && !errors.Is(seen.Err, fs.ErrNotExist) {
		return &host.Error{Kind: "seen", Message: "the answer in seen has an error; stat or read the file again"}
	}
	err := replaceFile(filepath.Join(string(d), filepath.FromSlash(name)), content, seen)
	var errno syscall.Errno
	if errors.As(err, &errno) { // remove the names of the system calls from the error
		return errno
	}
	return err
}

func replaceFile(full string, content []byte, seen *Answer) error {
	perm, err := mayReplace(full, seen)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(full), TempPrefix)
	if err != nil {
		return err
	}
	_, err = temp.Write(content)
	err = errors.Join(err, temp.Chmod(perm), temp.Close())
	if err == nil {
		_, err = mayReplace(full, seen)
	}
	if err == nil {
		err = os.Rename(temp.Name(), full)
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // err already holds the error to report
	}
	return err
}

// mayReplace returns an error if the file must not be replaced. Otherwise it returns the
// permission bits for the new file.
func mayReplace(full string, seen *Answer) (fs.FileMode, error) {
	var now Answer
	info, err := os.Lstat(full)
	now.describe(info, err)
	switch {
	case now.Err != nil && !errors.Is(now.Err, fs.ErrNotExist):
		return 0, err
	case now.Err == nil && now.Type != 0:
		return 0, notRegular(now.Type)
	case seen != nil && !seen.same(now):
		return 0, syscall.ESTALE
	case now.Err != nil:
		return 0o644, nil
	}
	// Open the file only to check that it may be written, because a rename does not check this.
	f, err := os.OpenFile(full, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), f.Close()
}

// same reports whether a and b describe the same regular file, or both report a missing file.
func (a *Answer) same(b Answer) bool {
	if a.Err != nil || b.Err != nil {
		return a.Err != nil && b.Err != nil
	}
	return a.Type == b.Type && a.Size == b.Size && a.ModTime.Equal(b.ModTime)
}
