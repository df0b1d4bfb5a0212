package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxEntry limits the size of an entry in bytes.
const maxEntry = 1 << 30

// magic identifies entries and their layout. Increase its number when the layout changes.
const magic = "wasmtool-compiled-2\n"

// Entry is what the cache stores of a module in addition to the engine's code.
type Entry struct {
	// Source is the SHA-256 of the original module, before rewriting.
	Source [sha256.Size]byte
	// Module is the module that the engine compiled.
	Module []byte
	// Facts are data about the module for the caller; the cache does not interpret them.
	Facts []byte
}

// trailer is the fixed-size end of an entry. An entry starts with the file that the engine wrote.
// After it come the module, the facts, the engine's name for the file, the trailer, and the SHA-256
// of everything before it. The engine's part comes first so that the engine can read the entry as
// its own file: it reads from the start and ignores what follows.
type trailer struct {
	Magic  [len(magic)]byte
	Key    Key
	Source [sha256.Size]byte
	// The lengths of the parts in bytes, in the order of the file.
	Code, Module, Facts, Name uint64
}

var (
	trailerSize = int64(binary.Size(trailer{}))
	errDamaged  = errors.New("the entry is damaged")
)

// size returns the length of the entry, or -1 if a length is impossible.
func (t *trailer) size() int64 {
	sum := trailerSize + sha256.Size
	for _, n := range []uint64{t.Code, t.Module, t.Facts, t.Name} {
		if n > maxEntry {
			return -1
		}
		sum += int64(n)
	}
	return sum
}

// readTrailer reads the trailer of an entry of size bytes and checks that its lengths add up. It
// does not verify the checksum.
func readTrailer(r io.ReaderAt, size int64) (*trailer, error) {
	start := size - trailerSize - sha256.Size
	if start < 0 || size > maxEntry {
		return nil, errDamaged
	}
	var t trailer
	if err := binary.Read(io.NewSectionReader(r, start, trailerSize), binary.LittleEndian, &t); err != nil {
		return nil, err
	}
	if string(t.Magic[:]) != magic || t.size() != size {
		return nil, errDamaged
	}
	return &t, nil
}

// readEntry reads an entry of size bytes and the engine's name for it. It fails unless the checksum
// is right and the entry belongs to key.
func readEntry(r io.ReaderAt, size int64, key Key) (e Entry, name string, err error) {
	t, err := readTrailer(r, size)
	if err != nil {
		return e, "", err
	}
	h := sha256.New()
	all := io.NewSectionReader(r, 0, size)
	if err := hashPart(h, all, int64(t.Code)); err != nil {
		return e, "", err
	}
	rest := make([]byte, size-int64(t.Code))
	if _, err := io.ReadFull(all, rest); err != nil {
		return e, "", err
	}
	body, sum := rest[:len(rest)-sha256.Size], rest[len(rest)-sha256.Size:]
	h.Write(body)
	if [sha256.Size]byte(h.Sum(nil)) != [sha256.Size]byte(sum) || t.Key != key {
		return e, "", errDamaged
	}
	e.Source = t.Source
	e.Module, body = body[:t.Module:t.Module], body[t.Module:]
	e.Facts, body = body[:t.Facts:t.Facts], body[t.Facts:]
	return e, string(body[:t.Name]), nil
}

// openSized opens a file and returns its size.
func openSized(path string, flag int) (f *os.File, size int64, err error) {
	if f, err = os.OpenFile(path, flag, 0); err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// readEntryFile is readEntry for a file.
func readEntryFile(path string, key Key) (e Entry, name string, err error) {
	f, size, err := openSized(path, os.O_RDONLY)
	if err != nil {
		return e, "", err
	}
	defer f.Close()
	return readEntry(f, size, key)
}

// appendEntry turns a file that the engine wrote into an entry.
func appendEntry(path, name string, key Key, e Entry) error {
	f, size, err := openSized(path, os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	t := trailer{
		Magic: [len(magic)]byte([]byte(magic)), Key: key, Source: e.Source,
		Code: uint64(size), Module: uint64(len(e.Module)), Facts: uint64(len(e.Facts)), Name: uint64(len(name)),
	}
	if n := t.size(); n < 0 || n > maxEntry {
		return fmt.Errorf("the entry has more than %d bytes", maxEntry)
	}
	h := sha256.New()
	if err := hashPart(h, f, size); err != nil {
		return err
	}
	w := io.MultiWriter(f, h)
	for _, part := range [][]byte{e.Module, e.Facts, []byte(name)} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	if err := binary.Write(w, binary.LittleEndian, &t); err != nil {
		return err
	}
	if _, err := f.Write(h.Sum(nil)); err != nil {
		return err
	}
	return f.Close()
}

// hashPart writes the next n bytes of r to h. Its buffer is large because system calls are
// expensive on some systems.
func hashPart(h hash.Hash, r io.Reader, n int64) error {
	got, err := io.CopyBuffer(h, io.LimitReader(r, n), make([]byte, 256<<10))
	if err == nil && got != n {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// place makes the entry at the given path appear as a new file. The parameter to is the path of
// that file.
//
// When both paths are in the cache directory, place makes a hard link and copies nothing. The file
// then has a second name, which stays even when the entry is evicted. The entry is verified under
// the second name, and the engine reads it there right after. Only a process of this user could
// change the file in between, and such a process could also change a copy. Processes of this
// program never write to an entry. Where links are not possible, place makes a copy, which is then
// verified.
func place(path, to string, link bool) error {
	before, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !before.Mode().IsRegular() || before.Size() > maxEntry {
		return errDamaged
	}
	if link && os.Link(path, to) == nil {
		placed, err := os.Lstat(to)
		if err == nil && !os.SameFile(before, placed) {
			err = fs.ErrNotExist // replaced since the first Lstat: a harmless miss
		}
		return err
	}
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	if opened, err := from.Stat(); err != nil || !os.SameFile(before, opened) {
		return errors.Join(err, fs.ErrNotExist)
	}
	copied, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(copied, from)
	return errors.Join(err, copied.Close())
}

// localPath returns the path of the engine's file below dir. It refuses a name that leaves dir.
func localPath(dir, name string) (string, error) {
	name = filepath.FromSlash(name)
	if !filepath.IsLocal(name) {
		return "", errDamaged
	}
	return filepath.Join(dir, name), nil
}
