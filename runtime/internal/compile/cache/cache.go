// Package cache keeps compiled modules on disk between processes.
//
// Compiled code is executable input, and wazero trusts everything that it reads back. A flipped
// byte in one of its files can crash the process, and an empty file is a permanent error. So wazero
// never reads the cache directory. It reads and writes a [Scratch]. An entry is placed there and
// its SHA-256 is verified at that very place. An entry whose checksum is wrong is deleted.
//
// The directory must be private to this user: processes of the same user are trusted, no others
// are. Many processes may use it at once, without locks. An entry is one file, which appears by a
// rename and never changes. An entry that vanishes is a miss.
package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wasmtool/wasmtool/internal/osreason"
)

const suffix = ".bin"

// ErrUnsafe means that the directory is not private to this user, or is a link.
var ErrUnsafe = errors.New("the directory is not private to this user")

// Cache is a directory of compiled modules. It is safe for concurrent use, also by several
// processes.
type Cache struct {
	dir      string
	maxBytes int64
}

// Key names an entry. It is a digest of everything that the compiled code depends on.
type Key [sha256.Size]byte

// NewKey returns the key for the given parts. Each part is prefixed with its length, so that
// different lists never share a key.
func NewKey(parts ...[]byte) Key {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return Key(h.Sum(nil))
}

// Open returns the cache in dir, and creates the directory with mode 0700 if it is missing. It
// refuses a link, a directory of another user, and a directory that others can read or write; the
// error wraps [ErrUnsafe]. Storing an entry evicts other entries until all entries together have at
// most maxBytes.
func Open(dir string, maxBytes int64) (*Cache, error) {
	c := &Cache{dir: dir, maxBytes: maxBytes}
	if err := c.create(); err != nil {
		return nil, err
	}
	return c, nil
}

// OpenExisting returns the cache in dir for List and Clear. It refuses what Open refuses, but
// creates nothing: a missing directory is an empty cache.
func OpenExisting(dir string) (*Cache, error) {
	c := &Cache{dir: dir}
	if err := c.check(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return c, nil
}

func (c *Cache) create() error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return fmt.Errorf("create the compile cache: %w", withoutPath(err))
	}
	return c.check()
}

func (c *Cache) check() error {
	info, err := os.Lstat(c.dir)
	if err != nil {
		return fmt.Errorf("check the compile cache: %w", withoutPath(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("%w: it is a link or a file", ErrUnsafe)
	}
	return checkPrivate(info)
}

// Delete removes an entry. A missing entry is not an error.
func (c *Cache) Delete(key Key) { _ = os.Remove(c.path(key)) }

func (c *Cache) path(key Key) string {
	return filepath.Join(c.dir, hex.EncodeToString(key[:])+suffix)
}

// keyOf returns the key in the name of a file; ok is false for a file that is not an entry.
func keyOf(name string) (key Key, ok bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	if !ok || len(digits) != hex.EncodedLen(len(key)) || strings.ToLower(digits) != digits {
		return key, false
	}
	_, err := hex.Decode(key[:], []byte(digits))
	return key, err == nil
}

// withoutPath removes the host path from an error of the os package, because the message may reach
// a guest's caller.
func withoutPath(err error) error {
	reason, _ := osreason.Of(err)
	return reason
}
