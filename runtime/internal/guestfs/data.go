package guestfs

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// Limits of Data. Every listing and every file is kept in memory. MaxOpenData limits the files of
// the Data that a guest has open at once.
const (
	MaxDataFiles = 20_000
	MaxDataBytes = 128 << 20
	MaxOpenData  = 1024
)

// Data is a set of files that belong to a module and never change. Everything that a guest learns
// from them follows from their names and content: times are 0, modes are fixed, and entries are
// sorted by name. It is safe for concurrent use.
type Data struct {
	files  map[string]*dataFile // by slash-separated path; "." is the root
	digest string
}

// dataFile is a file or directory of a Data. It is its own fs.FileInfo.
type dataFile struct {
	name    string
	mode    fs.FileMode
	content []byte
	entries []fs.DirEntry // of a directory, sorted by name
}

func (f *dataFile) Name() string      { return f.name }
func (f *dataFile) Size() int64       { return int64(len(f.content)) }
func (f *dataFile) Mode() fs.FileMode { return f.mode }
func (*dataFile) ModTime() time.Time  { return time.Unix(0, 0) }
func (f *dataFile) IsDir() bool       { return f.mode.IsDir() }
func (*dataFile) Sys() any            { return nil }

// NewData returns the files with the given content, by slash-separated path. It takes over the
// content, which must not change afterwards. The error names an invalid path or the limit that is
// exceeded.
func NewData(files map[string][]byte) (*Data, error) {
	if len(files) > MaxDataFiles {
		return nil, fmt.Errorf("there are %d files; at most %d are allowed", len(files), MaxDataFiles)
	}
	d := &Data{files: map[string]*dataFile{".": {name: ".", mode: fs.ModeDir | 0o555}}}
	all := sha256.New()
	total := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := files[name]
		if total += len(content); total > MaxDataBytes {
			return nil, fmt.Errorf("the files have more than %d bytes together", MaxDataBytes)
		}
		if err := d.add(name, &dataFile{name: path.Base(name), mode: 0o444, content: content}); err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		all.Write(binary.AppendUvarint(nil, uint64(len(name))))
		all.Write([]byte(name))
		all.Write(sum[:])
	}
	d.digest = hex.EncodeToString(all.Sum(nil))
	return d, nil
}

// add adds a file or directory, and the directories above it. Names arrive in order, except that
// "a/b" comes after "a-b", so entries are inserted where they belong.
func (d *Data) add(name string, f *dataFile) error {
	if name == ServiceName {
		return fmt.Errorf("%q is the name of the host's file; rename the file", name)
	}
	if !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("%q is not the path of a file below a directory", name)
	}
	if d.files[name] != nil {
		return fmt.Errorf("%q is a file and a directory", name)
	}
	d.files[name] = f
	parent := path.Dir(name)
	if d.files[parent] == nil {
		if err := d.add(parent, &dataFile{name: path.Base(parent), mode: fs.ModeDir | 0o555}); err != nil {
			return err
		}
	}
	dir := d.files[parent]
	if !dir.IsDir() {
		return fmt.Errorf("%q is a file and a directory", parent)
	}
	at, _ := slices.BinarySearchFunc(dir.entries, f.name, func(e fs.DirEntry, name string) int {
		return strings.Compare(e.Name(), name)
	})
	dir.entries = slices.Insert(dir.entries, at, fs.FileInfoToDirEntry(f))
	return nil
}

// Digest identifies the names and content of the files, in hex.
func (d *Data) Digest() string { return d.digest }

// find returns the file with a path, or nil.
func (d *Data) find(name string) *dataFile {
	return d.files[path.Clean(strings.TrimLeft(name, "/"))]
}
