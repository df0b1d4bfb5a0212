package runtime

import (
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/wasmtool/wasmtool/runtime/internal/compile"
	"github.com/wasmtool/wasmtool/runtime/internal/compile/cache"
)

// ErrUnsafeCache means that a folder does not serve as a cache, because it is a link
// or somebody else than this user may read, write or own it.
var ErrUnsafeCache = cache.ErrUnsafe

// Cache shows and clears a folder of compiled modules; see Options.CacheDir. It is
// safe for concurrent use, also while Runtimes use the folder: one that misses an
// entry compiles.
type Cache struct{ folder *cache.Cache }

// CacheEntry is a compiled module on disk.
type CacheEntry struct {
	// ModuleDigest is the SHA-256 in hex of the module that was compiled. It is empty
	// for an entry of another version of wasmtool that does not tell.
	ModuleDigest string
	// Bytes is the size of the entry on disk.
	Bytes int64
	// LastUsed is when a Runtime stored or used the entry.
	LastUsed time.Time
	// Usable says that a Runtime of this program would use the entry: it is of the
	// same engine, platform and way of rewriting. Whether its digest holds is only
	// found when it is used.
	Usable bool
}

// OpenCache returns the cache in dir. It creates nothing: a folder that does not
// exist is an empty cache. A folder that no Runtime would use gives an error that
// wraps ErrUnsafeCache. No error names the folder's path.
func OpenCache(dir string) (*Cache, error) {
	if dir == "" {
		return nil, errors.New("no folder is named for the compile cache")
	}
	folder, err := cache.Look(dir)
	if err != nil {
		return nil, fmt.Errorf("open the compile cache: %w", err)
	}
	return &Cache{folder: folder}, nil
}

// List returns the entries, those used last first.
func (c *Cache) List() ([]CacheEntry, error) {
	items, err := c.folder.List()
	if err != nil {
		return nil, fmt.Errorf("list the compile cache: %w", err)
	}
	entries := make([]CacheEntry, len(items))
	for i, item := range items {
		e := CacheEntry{Bytes: item.Bytes, LastUsed: item.Used}
		if item.Source != [len(item.Source)]byte{} {
			e.ModuleDigest = hex.EncodeToString(item.Source[:])
			e.Usable = item.Key == compile.CacheKey(e.ModuleDigest)
		}
		entries[i] = e
	}
	return entries, nil
}

// Clear deletes all entries, whoever stored them, and no other file. It returns how
// many there were and their size in bytes. The error tells why some are left.
func (c *Cache) Clear() (entries int, bytes int64, err error) {
	entries, bytes, err = c.folder.Clear()
	if err != nil {
		err = fmt.Errorf("clear the compile cache: %w", err)
	}
	return entries, bytes, err
}
