// Package files describes, lists or reads many files in one call of the host, which works on
// several files concurrently. This saves most of the time of a tool that goes through thousands of
// files. [Dir.Replace] replaces one file, also in a single call. The package sees and writes the
// same files as package os and needs only the permission of the mount. On systems other than wasip1
// it uses package os.
package files

import (
	"io/fs"
	"iter"
	"time"
)

const (
	// MaxNames is the maximum number of files that one call may name. The total length of their
	// names is limited to 1 MiB.
	MaxNames = 4096
	// AnswerSize is the number of bytes of the buffer that a call uses for each file, in addition
	// to the content of the file.
	AnswerSize = 32
)

// Answer is the result for one file.
type Answer struct {
	// Err is the error for this file, as the syscall.Errno that package os wraps in an
	// *fs.PathError. It is nil on success.
	//
	// [Dir.Read] sets syscall.EFBIG for a file larger than its limit or than the whole buffer, and
	// then sets Size as well. Read and [Dir.List] set syscall.ENOBUFS if the earlier files have
	// filled the buffer; request this file in another call.
	Err error
	// Type is the type of the file, as in fs.FileMode; fs.ModeIrregular stands for types that WASI
	// lacks. Size is in bytes. [Dir.List] does not set Size and ModTime.
	Type    fs.FileMode
	Size    int64
	ModTime time.Time
	// Content is the content of the file, after [Dir.Read], or the listing of the directory, after
	// [Dir.List]. It is a slice of the buffer.
	Content []byte
}

// Entries returns the names and types of the entries of a listed directory, ordered by name.
func (a Answer) Entries() iter.Seq2[string, fs.FileMode] {
	return func(yield func(string, fs.FileMode) bool) {
		// Converting all names at once takes far less time than one conversion per name.
		for rest := string(a.Content); len(rest) >= 2; {
			kind, end := rest[0], 2+int(rest[1])
			if end > len(rest) || !yield(rest[2:end], typeOf(uint32(kind))) {
				return
			}
			rest = rest[end:]
		}
	}
}

// The numbers that WASI assigns to file types.
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

// Dir is the path of a directory in the guest, such as /workspace. The names of files are relative
// to it. The zero value is the root of the guest.
type Dir string

// Stat describes files as os.Lstat does. The host writes its results to buf, which needs
// AnswerSize bytes for each name and may be reused after the call. The error is a
// *guest.HostError if there are more than MaxNames names or buf is too small.
func (d Dir) Stat(names []string, buf []byte) ([]Answer, error) { return d.stat(names, buf) }

// List lists directories into buf as os.ReadDir does. buf and the error are as in [Dir.Stat].
func (d Dir) List(names []string, buf []byte) ([]Answer, error) { return d.list(names, buf) }

// Read reads whole files of at most limit bytes each into buf, as os.ReadFile does. buf and the
// error are as in [Dir.Stat].
func (d Dir) Read(names []string, limit int, buf []byte) ([]Answer, error) {
	return d.read(names, limit, buf)
}
