// Package vendoring copies packages of others into the directory "vendor" of a tool. It runs
// nothing and uses no network. What it reads is untrusted.
package vendoring

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/namefold"
	"github.com/wasmtool/wasmtool/internal/plainfile"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/manifests"
)

// Package is a package that was read.
type Package struct {
	// Name is the name of the package; in Python, the name of its first module. Version is "" if it
	// is unknown.
	Name, Version string
	// Files are the contents of its files by their path below vendor.
	Files map[string][]byte
	// Native are the files with native code, which are left out.
	Native []string
	// CommonJS reports whether it is a package of JavaScript that scripts cannot import.
	CommonJS bool

	entries []string // the paths below vendor that are replaced as a whole
	wants   []string // the packages that it declares, or imports at its top level
	mayWant []string // the packages that it imports elsewhere
}

var (
	pythonModule = lazyregexp.New(`^[A-Za-z_]\w*$`)
	npmPackage   = lazyregexp.New(`^(@[\w~-][\w.~-]*/)?[\w~-][\w.~-]*$`)
)

// Read reads a package of Python or, if python is not set, of JavaScript: an archive (.whl, .tgz)
// or the directory of a package, or for Python a file with a module. The limits of a module's data
// apply. The error continues a sentence that begins with the name of the file.
func Read(name string, python bool) (*Package, error) {
	absolute, err := filepath.Abs(name)
	if err != nil {
		return nil, plainfile.Reason(err)
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("does not exist; nothing is downloaded: name a file of 'pip download' or 'npm pack', or a directory")
	}
	if err != nil {
		return nil, plainfile.Reason(err)
	}
	t := newTree()
	base := filepath.Base(absolute)
	isModule := pythonModule.MatchString(strings.TrimSuffix(base, ".py"))
	switch ext := path.Ext(base); {
	case info.IsDir() && !python:
		err = t.readDirectory(name, "")
	case info.IsDir() && isModule:
		err = t.readDirectory(name, base+"/")
	case python && ext == ".whl":
		err = readFile(name, t.readWheel)
	case python && ext == ".py" && isModule:
		err = readFile(name, func(content []byte) error { return t.add(base, 0, bytes.NewReader(content)) })
	case python:
		err = errors.New("is not a package of Python; name a wheel (.whl), a .py file, or the directory of one package, such as openpyxl")
	case ext == ".tgz":
		err = readFile(name, t.readTarball)
	default:
		err = errors.New("is not a package of JavaScript; name an archive of npm (.tgz), or the directory of one package")
	}
	if err != nil {
		return nil, err
	}
	if python {
		return t.pythonPackage()
	}
	return t.npmPackage()
}

// readFile reads a file, and passes its content on.
func readFile(name string, add func(content []byte) error) error {
	file, err := os.OpenFile(name, os.O_RDONLY|plainfile.NonBlocking, 0)
	if err != nil {
		return plainfile.Reason(err)
	}
	defer file.Close()
	content, err := plainfile.Read(file, manifests.MaxDataBytes)
	if err != nil {
		return err
	}
	return add(content)
}

// tree collects the files of a package.
type tree struct {
	files  map[string][]byte
	native []string
	left   int               // the bytes that further files may have
	seen   map[string]string // the paths by their folded form; directories end with a slash
}

func newTree() *tree {
	return &tree{files: make(map[string][]byte), left: manifests.MaxDataBytes, seen: make(map[string]string)}
}

// maxPath limits the path of a file, in bytes.
const maxPath = 512

// check checks the path of a file, and of a directory if it ends with a slash.
func (t *tree) check(name string) error {
	plain := strings.TrimSuffix(name, "/")
	if len(name) > maxPath || !fs.ValidPath(plain) || strings.ContainsAny(name, `\:*?"<>|`) || !plaintext.Plain(name, plaintext.Word) {
		return bad(name, "is not a path that all systems can have inside a directory")
	}
	for ; plain != "."; plain = path.Dir(plain) {
		before := t.seen[namefold.Fold(plain)]
		switch {
		case before == "":
			t.seen[namefold.Fold(plain)] = name
		case before != name:
			return bad(name, "has the same name as "+stricttoml.Quote(before)+" on some systems")
		case !strings.HasSuffix(name, "/"):
			return bad(name, "is there twice")
		}
		name = path.Dir(plain) + "/"
	}
	if len(t.seen) > manifests.MaxDataFiles {
		return fmt.Errorf("has more than %d files", manifests.MaxDataFiles)
	}
	return nil
}

func bad(name, problem string) error {
	return fmt.Errorf("has the file %s, which %s", stricttoml.Quote(name), problem)
}

// nativeCode are the extensions of files with native code.
var nativeCode = []string{".so", ".pyd", ".node", ".dll", ".dylib"}

// sees reports whether scripts see a file or directory, and notes native code.
func (t *tree) sees(name string, isDir bool) bool {
	native := !isDir && slices.Contains(nativeCode, path.Ext(name))
	if native {
		t.native = append(t.native, name)
	}
	return !native && manifests.Visible(name)
}

// add adds a file, unless scripts do not see it, or notes a directory.
func (t *tree) add(name string, mode fs.FileMode, in io.Reader) error {
	if mode.IsDir() {
		return t.check(strings.TrimSuffix(name, "/") + "/")
	}
	if !mode.IsRegular() {
		return bad(name, "is a link or a special file")
	}
	if err := t.check(name); err != nil || !t.sees(name, false) {
		return err
	}
	content, err := io.ReadAll(io.LimitReader(in, int64(t.left)+1))
	switch t.left -= len(content); {
	case err != nil:
		return bad(name, "cannot be read: "+err.Error())
	case t.left < 0:
		return fmt.Errorf("has more than the %d MiB that the files of a tool may have", manifests.MaxDataBytes>>20)
	}
	t.files[name] = content
	return nil
}

// readDirectory adds the files of a directory, with prefix in front of their names.
func (t *tree) readDirectory(name, prefix string) error {
	directory, err := manifests.OpenDirectory(name)
	if err != nil {
		return err
	}
	defer directory.Close()
	files, err := manifests.ReadFiles(directory, t.sees)
	for name, content := range files {
		if err == nil {
			err = t.add(prefix+name, 0, bytes.NewReader(content))
		}
	}
	return err
}

// readWheel adds the files of a wheel, which is a zip file.
func (t *tree) readWheel(content []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return fmt.Errorf("is not a wheel: %w", err)
	}
	for _, f := range archive.File {
		in, err := f.Open()
		if err == nil {
			err = errors.Join(t.add(f.Name, f.Mode(), in), in.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readTarball adds the files of an archive of npm, in which all files are below one directory.
func (t *tree) readTarball(content []byte) error {
	in, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("is not an archive of npm: %w", err)
	}
	// What is skipped is bounded as well: the headers, and the files that scripts do not see.
	archive := tar.NewReader(io.LimitReader(in, 2*manifests.MaxDataBytes))
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("is not an archive of npm: %w", err)
		}
		mode := head.FileInfo().Mode()
		if head.Typeflag != tar.TypeReg {
			mode |= fs.ModeIrregular // a hard link has the mode of a file
		}
		_, name, _ := strings.Cut(head.Name, "/")
		if head.Typeflag == tar.TypeXGlobalHeader || mode.IsDir() && name == "" {
			continue
		}
		if err := t.add(name, mode, archive); err != nil {
			return err
		}
	}
}
