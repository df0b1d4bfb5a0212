package cache

import (
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
