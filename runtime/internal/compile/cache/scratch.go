package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// scratchPrefix begins the names of scratch directories inside the cache directory.
const scratchPrefix = "scratch-"

// placedName is the name under which an entry is verified, before the engine can see it.
const placedName = "entry"

// Scratch is a directory for one compilation, from which the engine reads code and to which it
// writes code. Use one Scratch for one module, from one goroutine, and close it.
type Scratch struct {
	cache *Cache
	dir   string
	// inCache reports whether the directory is inside the cache directory, where entries can be
	// linked and renamed. Otherwise the cache cannot be written.
	inCache bool
	// fetched reports whether a file here may be an entry under a second name, which must not be
	// written to.
	fetched bool
	// appended is the file that Append made an entry of.
	appended string
}

// Scratch creates a scratch directory inside the cache directory. If the cache cannot be written,
// it uses the system's directory for temporary files, so that a read-only cache can still be read.
func (c *Cache) Scratch() (*Scratch, error) {
	dir, err := os.MkdirTemp(c.dir, scratchPrefix)
	if errors.Is(err, fs.ErrNotExist) && c.create() == nil {
		// The whole cache directory was removed while this process was running.
		dir, err = os.MkdirTemp(c.dir, scratchPrefix)
	}
	if err == nil {
		return &Scratch{cache: c, dir: dir, inCache: true}, nil
	}
	dir, err = os.MkdirTemp("", "wasmtool-"+scratchPrefix)
	if err != nil {
		return nil, fmt.Errorf("create a scratch directory: %w", withoutPath(err))
	}
	return &Scratch{cache: c, dir: dir}, nil
}

// ScratchAt creates a scratch directory again that was closed, for an engine that knows its path.
func (c *Cache) ScratchAt(dir string) (*Scratch, error) {
	err := os.Mkdir(dir, 0o700) // fails if another user has created it since
	if errors.Is(err, fs.ErrNotExist) && c.create() == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("create a scratch directory: %w", withoutPath(err))
	}
	return &Scratch{cache: c, dir: dir, inCache: filepath.Dir(dir) == c.dir}, nil
}

// Dir returns the path to pass to the engine.
func (s *Scratch) Dir() string { return s.dir }

// Writable reports whether Store can store an entry.
func (s *Scratch) Writable() bool { return s.inCache }

// Close removes the directory and its contents.
func (s *Scratch) Close() { _ = os.RemoveAll(s.dir) }

// Fetch puts the code of an entry where the engine finds it, and returns the rest of the entry. ok
// is false for a miss. An entry that is damaged or has another key is a miss, and is deleted.
func (s *Scratch) Fetch(key Key) (e Entry, ok bool) {
	e, err := s.fetch(key)
	if err == nil {
		// Eviction uses this time. An error does not matter, because nothing is evicted from a
		// directory that cannot be written.
		now := time.Now()
		_ = os.Chtimes(s.cache.path(key), now, now)
		return e, true
	}
	// other errors, such as a full disk, do not mean that the entry is bad
	if errors.Is(err, errDamaged) {
		s.cache.Delete(key)
	}
	return Entry{}, false
}

func (s *Scratch) fetch(key Key) (Entry, error) {
	placed := filepath.Join(s.dir, placedName)
	defer os.Remove(placed) // already gone after a successful rename
	if err := place(s.cache.path(key), placed, s.inCache); err != nil {
		return Entry{}, err
	}
	e, name, err := readEntryFile(placed, key)
	if err != nil {
		return Entry{}, err
	}
	code, err := localPath(s.dir, name)
	if err != nil {
		return Entry{}, err
	}
	if err := os.MkdirAll(filepath.Dir(code), 0o700); err != nil {
		return Entry{}, err
	}
	s.fetched = true
	return e, os.Rename(placed, code)
}

// Store makes an entry of the one file that the engine left here, and evicts other entries if the
// cache is too large. A reader sees the old entry or the new one, never a part. Store fails after a
// Fetch that found an entry; use another Scratch.
func (s *Scratch) Store(key Key, e Entry) error {
	if err := s.Append(key, e); err != nil {
		return err
	}
	return s.Commit(key)
}

// Append is the part of Store that takes long. The engine may read the file meanwhile, because it
// reads only what it wrote itself. It finds the file until Commit.
func (s *Scratch) Append(key Key, e Entry) error {
	if s.fetched {
		return errors.New("an entry was fetched into the scratch directory; use another scratch directory")
	}
	// The engine makes a directory for its version, with one file for each module.
	files, err := filepath.Glob(filepath.Join(s.dir, "*", "*"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("the engine wrote %d files instead of one", len(files))
	}
	name, err := filepath.Rel(s.dir, files[0])
	if err != nil {
		return withoutPath(err)
	}
	if err := appendEntry(files[0], filepath.ToSlash(name), key, e); err != nil {
		return withoutPath(err)
	}
	s.appended = files[0]
	return nil
}

// Commit is the rest of Store, after Append succeeded.
func (s *Scratch) Commit(key Key) error {
	if err := os.Rename(s.appended, s.cache.path(key)); err != nil {
		return withoutPath(err)
	}
	return s.cache.evict(key)
}
