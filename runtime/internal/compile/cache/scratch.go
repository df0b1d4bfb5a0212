package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// scratchPrefix begins the names of scratch folders inside the cache's folder.
const scratchPrefix = "scratch-"

// placedName is where an entry is verified, before the engine can see it.
const placedName = "entry"

// Scratch is a folder for one compilation, in which the engine looks for code and
// leaves it. Use one for one module, from one goroutine, and close it.
type Scratch struct {
	cache *Cache
	dir   string
	// inCache says that the folder is inside the cache's, where entries can be
	// linked and renamed. Otherwise the cache cannot be written.
	inCache bool
	// fetched says that what is here may be an entry under a second name, and must
	// not be written to.
	fetched bool
}

// Scratch makes a scratch folder: inside the cache's folder, or, when that cannot be
// written, in the system's folder for temporary files, so that a read-only cache is
// of use too.
func (c *Cache) Scratch() (*Scratch, error) {
	dir, err := os.MkdirTemp(c.dir, scratchPrefix)
	if errors.Is(err, fs.ErrNotExist) && c.create() == nil {
		// Somebody removed the whole folder while we run.
		dir, err = os.MkdirTemp(c.dir, scratchPrefix)
	}
	if err == nil {
		return &Scratch{cache: c, dir: dir, inCache: true}, nil
	}
	dir, err = os.MkdirTemp("", "wasmtool-"+scratchPrefix)
	if err != nil {
		return nil, fmt.Errorf("make a scratch folder: %w", withoutPath(err))
	}
	return &Scratch{cache: c, dir: dir}, nil
}

// Dir is the folder to name to the engine.
func (s *Scratch) Dir() string { return s.dir }

// Writable reports whether Store can work.
func (s *Scratch) Writable() bool { return s.inCache }

// Close removes the folder and what is in it.
func (s *Scratch) Close() { _ = os.RemoveAll(s.dir) }

// Fetch puts the code of an entry where the engine finds it, and returns the rest of
// the entry. ok is false for a miss; an entry that is damaged, or of another key, is
// a miss and deleted.
func (s *Scratch) Fetch(key Key) (e Entry, ok bool) {
	e, err := s.fetch(key)
	if err == nil {
		// For eviction; a folder that cannot be written evicts nothing.
		now := time.Now()
		_ = os.Chtimes(s.cache.path(key), now, now)
		return e, true
	}
	if errors.Is(err, errDamaged) { // a full disk, say, is no fault of the entry
		s.cache.Delete(key)
	}
	return Entry{}, false
}

func (s *Scratch) fetch(key Key) (Entry, error) {
	placed := filepath.Join(s.dir, placedName)
	defer os.Remove(placed) // gone already after a successful rename
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

// Store makes an entry of the one file that the engine left here, and evicts others
// when there is too much. A reader sees the old entry or the new one, never a part.
// It fails after a Fetch that was no miss; use another Scratch.
func (s *Scratch) Store(key Key, e Entry) error {
	if s.fetched {
		return errors.New("an entry was fetched into the scratch folder")
	}
	// The engine makes a folder for its version, with a file for each module.
	files, err := filepath.Glob(filepath.Join(s.dir, "*", "*"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("the engine wrote %d files", len(files))
	}
	name, err := filepath.Rel(s.dir, files[0])
	if err != nil {
		return withoutPath(err)
	}
	if err := appendEntry(files[0], filepath.ToSlash(name), key, e); err != nil {
		return withoutPath(err)
	}
	if err := os.Rename(files[0], s.cache.path(key)); err != nil {
		return withoutPath(err)
	}
	return s.cache.evict(key)
}
