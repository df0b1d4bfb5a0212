package cache

import (
	"crypto/sha256"
	"os"
	"slices"
	"time"
)

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
