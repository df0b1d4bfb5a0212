// Package cache keeps compiled modules on disk between processes.
//
// Compiled code is executable input, and wazero believes whatever it reads back:
// a flipped byte in one of its files can crash the process, and an empty file is
// an error for ever. So wazero never reads this folder. It reads
// and writes a Scratch, and what we put there is an entry whose SHA-256 held when
// it was read from that very place. An entry that does not hold is deleted.
//
// The folder must be ours alone: a process of the same user is trusted, nobody
// else is. Many processes may use it at once, without locks: an entry is one file
// that appears by a rename and is never changed, and one that vanishes is a miss.
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

// ErrUnsafe means that the folder is not private to this user, or is a link.
var ErrUnsafe = errors.New("the folder is not private to this user")

// Cache is a folder of compiled modules. It is safe for concurrent use, also by
// several processes.
type Cache struct {
	dir      string
	maxBytes int64
}

// Key names an entry: a digest of everything that the compiled code depends on.
type Key [sha256.Size]byte

// NewKey returns the key for the given parts. Parts are length-prefixed, so
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

// Open returns the cache in dir, creating the folder with mode 0700 when it does
// not exist. It refuses a link, a folder of another user, and one that others
// can write or read, with an error that wraps ErrUnsafe. Storing an entry evicts
// others until all together have at most maxBytes.
func Open(dir string, maxBytes int64) (*Cache, error) {
	c := &Cache{dir: dir, maxBytes: maxBytes}
	if err := c.create(); err != nil {
		return nil, err
	}
	return c, nil
}

// Look returns the cache in dir for List and Clear. It refuses what Open refuses,
// but creates nothing: a folder that is not there is an empty cache.
func Look(dir string) (*Cache, error) {
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
		return fmt.Errorf("look at the compile cache: %w", withoutPath(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("%w: it is a link or a file", ErrUnsafe)
	}
	return checkPrivate(info)
}

// Delete removes an entry. A missing one is no error: it is gone either way.
func (c *Cache) Delete(key Key) { _ = os.Remove(c.path(key)) }

func (c *Cache) path(key Key) string {
	return filepath.Join(c.dir, hex.EncodeToString(key[:])+suffix)
}

// keyOf returns the key in the name of a file; ok is false for a file that is no
// entry of ours.
func keyOf(name string) (key Key, ok bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	if !ok || len(digits) != hex.EncodedLen(len(key)) || strings.ToLower(digits) != digits {
		return key, false
	}
	_, err := hex.Decode(key[:], []byte(digits))
	return key, err == nil
}

// withoutPath drops the host path from an error of the os package, since error
// texts may reach a guest's caller.
func withoutPath(err error) error {
	reason, _ := osreason.Of(err)
	return reason
}
