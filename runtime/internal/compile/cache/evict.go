package cache

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// leftoverAge is the age from which a scratch directory is treated as abandoned: no compilation
// takes that long.
const leftoverAge = time.Hour

// evict deletes the least recently used entries until the remaining entries have at most maxBytes
// together. It never deletes the entry of keep, regardless of its size. Several processes may evict
// at once: an entry that another process has already deleted is not an error.
func (c *Cache) evict(keep Key) error {
	files, err := c.files()
	if err != nil {
		return err
	}
	c.sweep(time.Now())
	slices.SortFunc(files, func(a, b Item) int { return a.Used.Compare(b.Used) })
	total := int64(0)
	for _, f := range files {
		total += f.Bytes
	}
	for _, f := range files {
		if total <= c.maxBytes {
			return nil
		}
		if f.Key == keep {
			continue
		}
		c.Delete(f.Key)
		total -= f.Bytes
	}
	return nil
}

// sweep removes the scratch directories of crashed processes.
func (c *Cache) sweep(now time.Time) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), scratchPrefix) {
			continue
		}
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > leftoverAge {
			_ = os.RemoveAll(filepath.Join(c.dir, entry.Name()))
		}
	}
}

// files lists the entries without reading them, so their Source is not set. A missing directory has
// no entries.
func (c *Cache) files() ([]Item, error) {
	entries, err := os.ReadDir(c.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, withoutPath(err)
	}
	var list []Item
	for _, entry := range entries {
		key, ok := keyOf(entry.Name())
		if !ok || !entry.Type().IsRegular() {
			continue
		}
		if info, err := entry.Info(); err == nil { // otherwise another process has deleted it
			list = append(list, Item{Key: key, Bytes: info.Size(), Used: info.ModTime()})
		}
	}
	return list, nil
}

// Item describes an entry. Its fields come from the end of the file, whose checksum is verified
// only when the whole file is read. Use an Item for display, and never to decide which code to run.
type Item struct {
	Key Key
	// Source is the same as in Entry; it is zero when the file is not an entry of this layout.
	Source [sha256.Size]byte
	// Bytes is the size of the file.
	Bytes int64
	// Used is when the entry was last stored or fetched.
	Used time.Time
}

// List returns the entries, the most recently used first.
func (c *Cache) List() ([]Item, error) {
	items, err := c.files()
	if err != nil {
		return nil, err
	}
	for i := range items {
		items[i].Source = c.source(items[i].Key)
	}
	slices.SortStableFunc(items, func(a, b Item) int { return b.Used.Compare(a.Used) })
	return items, nil
}

// source returns the digest of the original module of an entry; it is zero when the entry does not
// contain it.
func (c *Cache) source(key Key) (none [sha256.Size]byte) {
	f, size, err := openSized(c.path(key), os.O_RDONLY)
	if err != nil {
		return none
	}
	defer f.Close()
	t, err := readTrailer(f, size)
	if err != nil || t.Key != key {
		return none
	}
	return t.Source
}

// Clear deletes all entries and the scratch directories of crashed processes, and no other file. It
// returns the number of deleted entries and their size in bytes. The error is the first that
// prevented a deletion.
func (c *Cache) Clear() (entries int, bytes int64, err error) {
	files, err := c.files()
	if err != nil {
		return 0, 0, err
	}
	c.sweep(time.Now())
	for _, f := range files {
		if removeErr := os.Remove(c.path(f.Key)); removeErr == nil {
			entries, bytes = entries+1, bytes+f.Bytes
		} else if err == nil && !os.IsNotExist(removeErr) {
			err = withoutPath(removeErr)
		}
	}
	return entries, bytes, err
}
