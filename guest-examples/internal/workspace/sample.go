package workspace

import (
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/guest/files"
)

// Sample is a workspace of text files in one directory, by name. A tool uses it to warm up its code
// before the host saves the module's memory.
type Sample map[string]string

// Open opens a file or the directory.
func (s Sample) Open(name string) (fs.File, error) {
	if name == "." {
		return &sampleFile{Reader: strings.NewReader(""), info: sampleInfo{name: "."}, sample: s}, nil
	}
	text, ok := s[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &sampleFile{Reader: strings.NewReader(text), info: sampleInfo{name, int64(len(text))}}, nil
}

// sampleFile is a file of a Sample, or the directory.
type sampleFile struct {
	io.Reader
	info   sampleInfo
	sample Sample // files of the directory, for ReadDir
}

func (f *sampleFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *sampleFile) Close() error               { return nil }

func (f *sampleFile) ReadDir(int) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	for name, text := range f.sample {
		entries = append(entries, fs.FileInfoToDirEntry(sampleInfo{name, int64(len(text))}))
	}
	return entries, nil
}

type sampleInfo struct {
	name string
	size int64
}

func (i sampleInfo) Name() string       { return i.name }
func (i sampleInfo) Size() int64        { return i.size }
func (i sampleInfo) ModTime() time.Time { return time.Time{} }
func (i sampleInfo) IsDir() bool        { return i.name == "." }
func (i sampleInfo) Sys() any           { return nil }
func (i sampleInfo) Mode() fs.FileMode {
	if i.IsDir() {
		return fs.ModeDir | 0o700
	}
	return 0o600
}

func (s Sample) readSmall(name string) files.Answer {
	text, ok := s[name]
	if !ok {
		return files.Answer{Err: fs.ErrNotExist}
	}
	return files.Answer{Size: int64(len(text)), Content: []byte(text)}
}
