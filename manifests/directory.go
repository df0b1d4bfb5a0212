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

// Folder is the folder that is loaded. Its tools may read files anywhere inside
// it, and nothing outside it, not by a link either. Get one from OpenDirectory or
// EmbeddedDirectory. It is safe for concurrent use until it is closed.
type Directory struct {
	files files
}

// files is what a Folder reads from. Names are slash-separated and valid for
// io/fs; an error may hold names, but its innermost error does not.
type files interface {
	stat(name string) (fs.FileInfo, error)
	// open must not wait for the other end of a pipe.
	open(name string) (fs.File, error)
	// sub returns a folder of the folder, which confines in the same way.
	sub(name string) (files, error)
	close() error
}

// OpenDirectory opens a folder on disk; the caller closes it. A non-nil error is an
// *Error whose File is the last element of dir.
func OpenDirectory(dir string) (*Directory, error) {
	root, err := os.OpenRoot(dir)
	if err == nil {
		return &Directory{files: diskFiles{root}}, nil
	}
	message := reason(err).Error()
	if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
		message = "is not a folder; name the folder that holds " + FileName
	}
	return nil, &Error{File: filepath.Base(dir), Message: message}
}

// EmbeddedDirectory returns a folder over the files of the program itself. It trusts
// fsys to stay inside: do not hand in os.DirFS, which follows links out.
func EmbeddedDirectory(fsys fs.FS) *Directory {
	return &Directory{files: embeddedFiles{fsys}}
}

// Close releases the folder. What was loaded from it stays valid.
func (f *Directory) Close() error { return f.files.close() }

// Manifests returns the paths of the manifests in the folder itself and in the
// folders right inside it, sorted; hidden folders are left out. A manifest that
// cannot be read is listed too, for Read to say why. A non-nil error is an *Error.
func (f *Directory) Manifests() ([]string, error) {
	entries, err := readDir(f.files)
	if err != nil {
		return nil, &Error{File: ".", Message: reason(err).Error()}
	}
	candidates := []string{FileName}
	for _, entry := range entries {
		isFolder := entry.IsDir() || entry.Type()&fs.ModeSymlink != 0
		if isFolder && !strings.HasPrefix(entry.Name(), ".") {
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

// readDir lists a folder in no particular order.
func readDir(f files) ([]fs.DirEntry, error) {
	dir, err := f.open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	list, ok := dir.(fs.ReadDirFile)
	if !ok {
		return nil, errors.New("the folder cannot be listed")
	}
	return list.ReadDir(-1)
}

// checkFile looks at a file without opening it. The error says in words what is
// the matter with it, and names no path: "does not exist".
func checkFile(f files, name string, limit int) error {
	info, err := f.stat(name)
	if err != nil {
		return withNear(f, name, reason(err))
	}
	return plainfile.Check(info, limit)
}

// readFile reads a regular file of at most limit bytes. Its errors are those of checkFile.
func readFile(f files, name string, limit int) ([]byte, error) {
	// Looking before opening spares a device the side effects of an open; looking
	// again afterwards is what counts.
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

// withNear adds to the news of a missing file the one that was perhaps meant.
func withNear(f files, name string, err error) error {
	if !errors.Is(err, plainfile.ErrMissing) {
		return err
	}
	dir, subErr := f.sub(path.Dir(name))
	if subErr != nil {
		return err
	}
	defer dir.close()
	// A folder that cannot be listed gives no hint, and that is all.
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

// errEscapes is the error of a link that leads out.
var errEscapes = errors.New("leads out of the folder that is loaded, through a link; put the file itself there")

// reason says why a file could not be read, without host paths.
func reason(err error) error {
	// The os package does not export its refusal to leave a root.
	if strings.Contains(err.Error(), "path escapes from parent") {
		return errEscapes
	}
	return plainfile.Reason(err)
}
