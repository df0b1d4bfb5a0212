package runtimes

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wasmtool/wasmtool/internal/suggest"
)

// Store is the directory in which a user keeps interpreters. Several processes may use it at the
// same time.
type Store struct {
	dir      string
	releases []Release
}

// NewStore returns the store in a directory, which need not exist. It knows the given releases; nil
// means Releases.
func NewStore(dir string, releases []Release) *Store {
	if releases == nil {
		releases = Releases()
	}
	return &Store{dir, releases}
}

// MissingError is the error of reading an interpreter that was not added.
type MissingError struct{ Release Release }

// Error names the command that adds the interpreter.
func (e *MissingError) Error() string {
	return fmt.Sprintf("needs the runtime %s %s (%d MiB), which is not here; run 'wasmtool runtime add %[1]s'", e.Release.Name, e.Release.Version, e.Release.Archive.Size>>20)
}

// Release returns the release with a name.
func (s *Store) Release(name string) (Release, error) {
	var names []string
	for _, r := range s.releases {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	message := fmt.Sprintf("there is no runtime %q; the runtimes are %s", name, strings.Join(names, ", "))
	if near := suggest.Nearest(name, names); near != "" {
		message = fmt.Sprintf("there is no runtime %q; did you mean %s?", name, near)
	}
	return Release{}, errors.New(message)
}

// added returns the release with a name that can be added and removed.
func (s *Store) added(name string) (Release, error) {
	r, err := s.Release(name)
	if err == nil && r.Embedded != nil {
		err = fmt.Errorf("the runtime %s is part of this program: it cannot be added or removed", name)
	}
	return r, err
}

// Installed is an interpreter in a Store, or one that could be added.
type Installed struct {
	Release
	// Here reports whether the interpreter was added or is embedded.
	Here bool
	// File is the path of an interpreter that was added; "" for all others.
	File string
}

// List returns all releases.
func (s *Store) List() []Installed {
	var all []Installed
	for _, r := range s.releases {
		file := s.file(r)
		all = append(all, Installed{r, r.Embedded != nil || file != "", file})
	}
	return all
}

// Has reports whether an interpreter is here and not revoked.
func (s *Store) Has(r Release) bool {
	return r.usable() == nil && (r.Embedded != nil || s.file(r) != "")
}

// file returns the path of an interpreter that was added, and "" for all others.
func (s *Store) file(r Release) string {
	info, err := os.Stat(s.path(r))
	if r.Embedded != nil || err != nil || info.Size() != int64(r.Size) {
		return ""
	}
	return s.path(r)
}

func (s *Store) path(r Release) string {
	return filepath.Join(s.dir, r.Name+"-"+r.Version+".wasm")
}

// Read returns the module of an interpreter. It fails with a *MissingError if it was not added, and
// with another error if the release is revoked or the file is damaged.
func (s *Store) Read(name string) ([]byte, error) {
	r, err := s.Release(name)
	if err = cmp.Or(err, r.usable()); err != nil {
		return nil, err
	}
	if r.Embedded != nil {
		return r.Embedded, nil
	}
	module, err := os.ReadFile(s.path(r))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &MissingError{r}
	case err != nil:
		return nil, fmt.Errorf("the runtime %s cannot be read; run 'wasmtool runtime add %[1]s'", r.Name)
	case digest(module) != r.SHA256:
		return nil, fmt.Errorf("the runtime %s is damaged; run 'wasmtool runtime add %[1]s'", r.Name)
	}
	return module, nil
}

// Add stores an interpreter that is read from in: the archive of the release, or the module itself.
// Nothing is unpacked or stored before its digest was checked. A revoked release is not added.
func (s *Store) Add(name string, in io.Reader) error {
	r, err := s.added(name)
	if err = cmp.Or(err, r.usable()); err != nil {
		return err
	}
	limit := max(r.Size, r.Archive.Size)
	content, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err != nil {
		return err
	}
	switch got := digest(content); {
	case len(content) > limit:
		return fmt.Errorf("has more than %d bytes, so it is neither %s nor its module", limit, r.Archive.Package)
	case got == r.Archive.SHA256:
		if content, err = unpack(content, r); err != nil {
			return err
		}
	case got != r.SHA256:
		return fmt.Errorf("has the digest %s; %s has %s, and its module %s", got, r.Archive.Package, r.Archive.SHA256, r.SHA256)
	}
	return s.write(r, content)
}

// unpack returns the module in an archive whose digest was checked.
func unpack(archive []byte, r Release) ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, fmt.Errorf("%s is not a gzip file: %w", r.Archive.Package, err)
	}
	files := tar.NewReader(zip)
	for {
		head, err := files.Next()
		if err != nil {
			return nil, fmt.Errorf("%s is not in the archive: %w", r.Archive.Path, err)
		}
		if head.Name != r.Archive.Path {
			continue
		}
		module, err := io.ReadAll(io.LimitReader(files, int64(r.Size)+1))
		if err == nil && digest(module) != r.SHA256 {
			err = errors.New("the module in the archive has another digest")
		}
		return module, err
	}
}

// write replaces the file of a release in one step.
func (s *Store) write(r Release, module []byte) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(s.dir, r.Name+"-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails after the renaming
	_, err = temp.Write(module)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), s.path(r))
}

// Remove deletes an interpreter, and every other version of it. It reports whether there was one.
func (s *Store) Remove(name string) (bool, error) {
	if _, err := s.added(name); err != nil {
		return false, err
	}
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	found := false
	for _, entry := range entries {
		file := entry.Name()
		if version, ok := strings.CutPrefix(file, name+"-"); ok && strings.HasSuffix(version, ".wasm") {
			found = true
			err = errors.Join(err, os.Remove(filepath.Join(s.dir, file)))
		}
	}
	return found, err
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
