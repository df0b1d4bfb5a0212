package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plainfile"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/internal/suggest"
)

// Directory is a directory that tools are loaded from. Manifests may name files anywhere inside the
// directory, but no files outside, not even through a link. Create a Directory with [OpenDirectory]
// or [EmbeddedDirectory]. It is safe for concurrent use until it is closed.
type Directory struct {
	files files
}

// files is the file system of a Directory. Names are slash-separated and valid for io/fs. The
// message of an error may contain names; the message of its innermost error must not.
type files interface {
	stat(name string) (fs.FileInfo, error)
	// open must not wait for the other end of a pipe.
	open(name string) (fs.File, error)
	// sub returns a subdirectory, which confines its files in the same way.
	sub(name string) (files, error)
	close() error
}

// OpenDirectory opens a directory on disk; the caller closes it. A non-nil error is an
// *Error whose File is the last element of dir.
func OpenDirectory(dir string) (*Directory, error) {
	root, err := os.OpenRoot(dir)
	if err == nil {
		return &Directory{files: diskFiles{root}}, nil
	}
	message := reason(err).Error()
	if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
		message = "is not a directory; name the directory that contains " + FileName
	}
	return nil, &Error{File: filepath.Base(dir), Message: message}
}

// EmbeddedDirectory returns a directory of files that are part of the program. It trusts fsys to
// stay inside its root: do not pass os.DirFS, which follows links to the outside.
func EmbeddedDirectory(fsys fs.FS) *Directory {
	return &Directory{files: embeddedFiles{fsys}}
}

// Close releases the directory. Manifests that were loaded from it stay valid.
func (f *Directory) Close() error { return f.files.close() }

// Manifests returns the sorted paths of the manifests in the directory and its immediate
// subdirectories, except hidden ones. It also lists a manifest that cannot be read, because Read
// then reports the reason. A non-nil error is an *Error.
func (f *Directory) Manifests() ([]string, error) {
	entries, err := readDir(f.files)
	if err != nil {
		return nil, &Error{File: ".", Message: reason(err).Error()}
	}
	candidates := []string{FileName}
	for _, entry := range entries {
		maybeDir := entry.IsDir() || entry.Type()&fs.ModeSymlink != 0
		if maybeDir && !strings.HasPrefix(entry.Name(), ".") {
			candidates = append(candidates, path.Join(entry.Name(), FileName))
		}
	}
	found := slices.DeleteFunc(candidates, func(name string) bool {
		_, err := f.files.stat(name)
		return err != nil && errors.Is(reason(err), plainfile.ErrMissing)
	})
	slices.Sort(found)
	return found, nil
}

// readDir lists a directory in no particular order.
func readDir(f files) ([]fs.DirEntry, error) {
	dir, err := f.open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	list, ok := dir.(fs.ReadDirFile)
	if !ok {
		return nil, errors.New("the directory cannot be listed")
	}
	return list.ReadDir(-1)
}

// checkFile checks that a file is regular and at most limit bytes long, without opening it. Its
// errors, such as "does not exist", contain no path.
func checkFile(f files, name string, limit int) error {
	info, err := f.stat(name)
	if err != nil {
		return withNear(f, name, reason(err))
	}
	return plainfile.Check(info, limit)
}

// readFile reads a regular file of at most limit bytes. Its errors have the same form as the errors
// of checkFile.
func readFile(f files, name string, limit int) ([]byte, error) {
	// The check before opening avoids side effects of opening a device. The file may be replaced
	// after the check, so plainfile.Read checks the open file again.
	if err := checkFile(f, name, limit); err != nil {
		return nil, err
	}
	file, err := f.open(name)
	if err != nil {
		return nil, reason(err)
	}
	defer file.Close()
	return plainfile.Read(file, limit)
}

// withNear appends the most similar file name to the error for a missing file.
func withNear(f files, name string, err error) error {
	if !errors.Is(err, plainfile.ErrMissing) {
		return err
	}
	dir, subErr := f.sub(path.Dir(name))
	if subErr != nil {
		return err
	}
	defer dir.close()
	// If the directory cannot be listed, there is no suggestion, so the error does not matter.
	entries, _ := readDir(dir)
	var names []string
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	if near := suggest.Nearest(path.Base(name), names); near != "" {
		return fmt.Errorf("%w; did you mean %s?", err, stricttoml.Quote(near))
	}
	return err
}

// errEscapes is the error for a link that leads out of the loaded directory.
var errEscapes = errors.New("leads out of the loaded directory through a link; put the file itself into the directory")

// reason returns why a file could not be read, without host paths.
func reason(err error) error {
	// Package os does not export the error of a path that leaves a root.
	if strings.Contains(err.Error(), "path escapes from parent") {
		return errEscapes
	}
	return plainfile.Reason(err)
}
