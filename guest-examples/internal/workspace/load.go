package workspace

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/wasmtool/wasmtool/guest/files"
)

// smallFile is up to which size a file is read without asking for its size first.
const smallFile = 16 << 10

// ReadSmall returns what a regular file of at most 16 KiB holds, which is valid until the next
// ReadSmall, and takes one call of the host for it. ok is false for any other file, and for one
// that is not there or elsewhere than in the sandbox: Open, then, tells more.
func ReadSmall(fsys fs.FS, name string) (content []byte, ok bool) {
	small, ok := fsys.(interface {
		readSmall(name string) files.Answer
	})
	if !ok {
		return nil, false
	}
	a := small.readSmall(name)
	return a.Content, a.Err == nil
}

// Read is Target for a file that has to be there, and returns what it holds, too, which is
// valid until the next Read. One of more than most bytes is an error. A link it may follow;
// Write tells of it.
func (d Dir) Read(param, value string, most int64) (name string, was *files.Answer, content []byte, err error) {
	if name, err = d.resolve(param, value); err != nil {
		return "", nil, nil, err
	}
	if !strings.HasSuffix(value, "/") {
		if a := d.read(name, min(most, smallFile), d.room); a.Err == nil {
			return name, &a, a.Content, nil
		}
	}
	if name, was, err = d.Target(param, value); err != nil {
		return "", nil, nil, err
	}
	if was == nil {
		return "", nil, nil, Explain(d.FS, param, name, fs.ErrNotExist)
	}
	content, err = d.Load(param, name, was, most)
	return name, was, content, err
}

// Load reads the whole file name, as Target returned it with was. One of more than most bytes
// is an error.
func (d Dir) Load(param, name string, was *files.Answer, most int64) ([]byte, error) {
	size := min(most, was.Size)
	a := d.read(name, size, make([]byte, roomFor(size)))
	switch {
	case a.Err == syscall.EFBIG && was.Size <= most:
		a.Content, a.Err = d.readToEnd(name, most) // it grew, or tells no size
	case a.Err == syscall.EFBIG:
		return nil, tooLarge(param, name, most)
	}
	switch {
	case a.Err != nil:
		return nil, Explain(d.FS, param, name, a.Err)
	case int64(len(a.Content)) > most:
		return nil, tooLarge(param, name, most)
	}
	return a.Content, nil
}

func tooLarge(param, name string, most int64) error {
	return fmt.Errorf("%s: %s has more than the %d bytes that this tool takes", param, Display(name), most)
}

// readToEnd reads a file whatever its size is said to be, and of one of more than most bytes
// a byte more.
func (d Dir) readToEnd(name string, most int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

// roomFor is how many bytes it takes to read a file of this size.
func roomFor(size int64) int64 { return files.AnswerSize + size + 1 } // a byte to find the end

// read reads a file of at most so many bytes.
func (d Dir) read(name string, most int64, room []byte) files.Answer {
	answers, err := files.Dir(d.path).Read([]string{name}, int(most), room)
	if err != nil {
		return files.Answer{Err: err}
	}
	return answers[0]
}
