// Package compilecache keeps compiled modules on disk between processes.
//
// Compiled code is executable input, and wazero believes whatever it reads back:
// a flipped byte in one of its files can crash the process, and an empty file is
// an error for ever (security.md C5). So wazero never reads this folder. Each
// entry is one file with a header and a SHA-256 over all of it; it is checked as
// a whole before its payload is handed out, and deleted when it does not hold.
//
// The folder must be ours alone: a process of the same user is trusted, nobody
// else is.
package compilecache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxEntry bounds what Get reads into memory.
const maxEntry = 1 << 30

const (
	magic     = "wasmtool-compiled-1\n"
	entryMode = 0o600
	suffix    = ".bin"
)

// ErrUnsafe means that the folder is not private to this user, or is a link.
var ErrUnsafe = errors.New("the folder is not private to this user")

// Cache is a folder of compiled modules. It is safe for concurrent use, also by
// several processes.
type Cache struct{ dir string }

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
// can write or read, with an error that wraps ErrUnsafe.
func Open(dir string) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the compile cache: %w", withoutPath(err))
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, fmt.Errorf("look at the compile cache: %w", withoutPath(err))
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%w: it is a link or a file", ErrUnsafe)
	}
	if err := checkPrivate(info); err != nil {
		return nil, err
	}
	return &Cache{dir: dir}, nil
}

// Get returns the name and payload of an entry whose digest holds. A missing,
// damaged or foreign entry is a miss; a damaged one is deleted.
func (c *Cache) Get(key Key) (name string, payload []byte, ok bool) {
	data, err := readRegular(c.path(key))
	if err != nil {
		return "", nil, false
	}
	name, payload, err = decode(key, data)
	if err != nil {
		c.Delete(key)
		return "", nil, false
	}
	return name, payload, true
}

// Put stores a payload under key, replacing an older entry at once: a reader
// sees the old entry or the new one, never a part. name is a label that Get
// gives back.
func (c *Cache) Put(key Key, name string, payload []byte) error {
	tmp, err := os.CreateTemp(c.dir, "new-*")
	if err != nil {
		return withoutPath(err)
	}
	defer os.Remove(tmp.Name()) // gone already after a successful rename
	_, err = tmp.Write(encode(key, name, payload))
	if err := errors.Join(err, tmp.Close()); err != nil {
		return withoutPath(err)
	}
	return withoutPath(os.Rename(tmp.Name(), c.path(key)))
}

// Delete removes an entry. A missing one is no error: it is gone either way.
func (c *Cache) Delete(key Key) { _ = os.Remove(c.path(key)) }

func (c *Cache) path(key Key) string {
	return filepath.Join(c.dir, hex.EncodeToString(key[:])+suffix)
}

// encode lays out magic, key, name, payload, and a digest over all before it.
func encode(key Key, name string, payload []byte) []byte {
	var b bytes.Buffer
	b.Grow(len(magic) + len(key) + 4 + len(name) + len(payload) + sha256.Size)
	b.WriteString(magic)
	b.Write(key[:])
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(name))))
	b.WriteString(name)
	b.Write(payload)
	sum := sha256.Sum256(b.Bytes())
	b.Write(sum[:])
	return b.Bytes()
}

var errDamaged = errors.New("the entry is damaged")

func decode(key Key, data []byte) (string, []byte, error) {
	head := len(magic) + len(key) + 4
	if len(data) < head+sha256.Size {
		return "", nil, errDamaged
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if sha256.Sum256(body) != [sha256.Size]byte(sum) {
		return "", nil, errDamaged
	}
	rest, ok := bytes.CutPrefix(body, []byte(magic))
	if !ok || Key(rest[:len(key)]) != key {
		return "", nil, errDamaged
	}
	rest = rest[len(key):]
	n := binary.LittleEndian.Uint32(rest)
	rest = rest[4:]
	if uint64(n) > uint64(len(rest)) {
		return "", nil, errDamaged
	}
	return string(rest[:n]), rest[n:], nil
}

// readRegular reads a file that is a regular one, without following a link.
func readRegular(path string) ([]byte, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() || before.Size() > maxEntry {
		return nil, errDamaged
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(before, opened) {
		return nil, errDamaged
	}
	data := make([]byte, opened.Size())
	_, err = io.ReadFull(f, data)
	return data, err
}

// withoutPath drops the host path from an error of the os package, since error
// texts may reach a guest's caller.
func withoutPath(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}
