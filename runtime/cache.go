package runtime

import (
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/wasmtool/wasmtool/runtime/internal/compile"
	"github.com/wasmtool/wasmtool/runtime/internal/compile/cache"
)

// Cached returns what the function read returns, from the disk if an earlier call for the digest
// stored it in CacheDir. digest is the SHA-256 in hex of everything that the result follows from.
// Entries are verified, evicted and listed like compiled modules. An error of read is returned
// unchanged, and the next call for the digest reads again.
func (r *Runtime) Cached(digest string, read func() ([]byte, error)) ([]byte, error) {
	return r.compiler.Cached(digest, read)
}

// ErrUnsafeCache means that a directory cannot be a cache. It is a link, or another user owns it,
// or another user may read or write it.
var ErrUnsafeCache = cache.ErrUnsafe

// Cache lists and clears a directory of compiled modules; see [Options].CacheDir. It is safe for
// concurrent use, also while Runtimes use the directory. A Runtime compiles a module again when its
// entry is missing.
type Cache struct{ disk *cache.Cache }

// CacheEntry is a compiled module on disk, or one of its parts.
type CacheEntry struct {
	// ModuleDigest is the SHA-256 in hex of the module that was compiled. It is empty for an entry
	// that another version of wasmtool stored without the digest.
	ModuleDigest string
	// Bytes is the size of the entry on disk.
	Bytes int64
	// LastUsed is when a Runtime stored or used the entry.
	LastUsed time.Time
	// Usable reports whether a Runtime of this program would use the entry: the entry must come
	// from the same engine, platform and rewriter. The checksum of the entry is verified only when
	// the entry is used.
	Usable bool
}

// OpenCache returns the cache in dir. It creates nothing: a missing directory is an empty cache.
// For a directory that no Runtime would use, the error wraps [ErrUnsafeCache]. No error contains
// the path of the directory.
func OpenCache(dir string) (*Cache, error) {
	if dir == "" {
		return nil, errors.New("no directory is given for the compile cache")
	}
	disk, err := cache.OpenExisting(dir)
	if err != nil {
		return nil, fmt.Errorf("open the compile cache: %w", err)
	}
	return &Cache{disk: disk}, nil
}

// List returns the entries, the most recently used first.
func (c *Cache) List() ([]CacheEntry, error) {
	items, err := c.disk.List()
	if err != nil {
		return nil, fmt.Errorf("list the compile cache: %w", err)
	}
	entries := make([]CacheEntry, len(items))
	for i, item := range items {
		e := CacheEntry{Bytes: item.Bytes, LastUsed: item.Used}
		if item.Source != [len(item.Source)]byte{} {
			e.ModuleDigest = hex.EncodeToString(item.Source[:])
			e.Usable = compile.Usable(e.ModuleDigest, item.Key)
		}
		entries[i] = e
	}
	return entries, nil
}

// Clear deletes all entries, including the entries of other processes. It deletes no other files.
// It returns the number of deleted entries and their size in bytes. If some entries cannot be
// deleted, the error is the first reason.
func (c *Cache) Clear() (entries int, bytes int64, err error) {
	entries, bytes, err = c.disk.Clear()
	if err != nil {
		err = fmt.Errorf("clear the compile cache: %w", err)
	}
	return entries, bytes, err
}
