// Package files looks at many files with one call of the host, which looks at several of
// them at the same time. A tool that goes through thousands of files saves most of its time
// so. Replace gives one a new content, in one call as well. What can be seen and written is
// what package os shows and writes; no permission is needed but that of the mount. Built for
// another system than wasip1, it asks package os.
package files

import (
	"io/fs"
	"iter"
	"time"
)

const (
	// MaxNames is how many files a call names at most; their names have 1 MiB at most.
	MaxNames = 4096
	// AnswerSize is how many bytes of its room a call needs for each file, besides what it
	// holds.
	AnswerSize = 32
)

// Answer is what is told of one file.
type Answer struct {
	// Err is why nothing is told: what package os would give as the syscall.Errno of an
	// *fs.PathError. Of Read it is syscall.EFBIG for a file that is larger than asked for, or
	// than the whole room, whose size is told; and of Read and List syscall.ENOBUFS for one
	// that what others left of the room does not suffice for: ask for it again.
	Err error
	// Type is the type of the file, as in fs.FileMode; fs.ModeIrregular for what WASI has no
	// type for. Size, in bytes, and ModTime are not told of directories that are listed.
	Type    fs.FileMode
	Size    int64
	ModTime time.Time
	// Content is what Read and List found; it is a part of the room.
	Content []byte
}

// Entries are the names and types of what a listed directory holds, in the order of the
// names.
func (a Answer) Entries() iter.Seq2[string, fs.FileMode] {
	return func(yield func(string, fs.FileMode) bool) {
		// One text for all names takes far less time than one for each.
		for rest := string(a.Content); len(rest) >= 2; {
			kind, end := rest[0], 2+int(rest[1])
			if end > len(rest) || !yield(rest[2:end], typeOf(uint32(kind))) {
				return
			}
			rest = rest[end:]
		}
	}
}

// The numbers of WASI for types of files.
const (
	wasiDir     = 3
	wasiRegular = 4
	wasiLink    = 7
)

func typeOf(kind uint32) fs.FileMode {
	switch kind {
	case wasiDir:
		return fs.ModeDir
	case wasiRegular:
		return 0
	case wasiLink:
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}

// Dir is the directory that names are taken from: its path as the guest sees it, such as
// /workspace. The zero value is the root of the guest.
type Dir string

// Stat describes files, as os.Lstat does. room is for the host; it has AnswerSize bytes for
// each name, and can be used again. The error is a *guest.Fault: more names than MaxNames,
// or too little room.
func (d Dir) Stat(names []string, room []byte) ([]Answer, error) { return d.stat(names, room) }

// List lists directories into room, as os.ReadDir does. See Stat for the error.
func (d Dir) List(names []string, room []byte) ([]Answer, error) { return d.list(names, room) }

// Read reads whole files of at most so many bytes into room, as os.ReadFile does. See Stat
// for the error.
func (d Dir) Read(names []string, most int, room []byte) ([]Answer, error) {
	return d.read(names, most, room)
}
