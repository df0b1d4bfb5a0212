package workspace

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/wasmtool/wasmtool/guest/files"
)

// smallFile is the size up to which a file is read without asking for its size first.
const smallFile = 16 << 10

// ReadSmall returns the content of a regular file of at most 16 KiB with a single call of the host.
// The content is valid until the next ReadSmall. For any other file, and for a missing file, ok is
// false, and the caller must use Open.
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

// Read is like Target, but the file must exist. Read also returns its content, which is valid until
// the next Read. A file of more than limit bytes is an error. Read may follow a link, which Write
// refuses.
func (d Dir) Read(param, value string, limit int64) (name string, was *files.Answer, content []byte, err error) {
	if name, err = d.resolve(param, value); err != nil {
		return "", nil, nil, err
	}
	if !strings.HasSuffix(value, "/") {
		if a := d.read(name, min(limit, smallFile), d.room); a.Err == nil {
			return name, &a, a.Content, nil
		}
	}
	if name, was, err = d.Target(param, value); err != nil {
		return "", nil, nil, err
	}
	if was == nil {
		return "", nil, nil, Explain(d, param, name, fs.ErrNotExist)
	}
	content, err = d.Load(param, name, was, limit)
	return name, was, content, err
}

// Load reads the whole file called name. The arguments name and was are results of Target. A file
// of more than limit bytes is an error.
func (d Dir) Load(param, name string, was *files.Answer, limit int64) ([]byte, error) {
	size := min(limit, was.Size)
	a := d.read(name, size, make([]byte, roomFor(size)))
	switch {
	case a.Err == syscall.EFBIG && was.Size <= limit:
		a.Content, a.Err = d.readToEnd(name, limit) // the file grew, or reports no size
	case a.Err == syscall.EFBIG:
		return nil, tooLarge(param, name, limit)
	}
	switch {
	case a.Err != nil:
		return nil, Explain(d, param, name, a.Err)
	case int64(len(a.Content)) > limit:
		return nil, tooLarge(param, name, limit)
	}
	return a.Content, nil
}

func tooLarge(param, name string, limit int64) error {
	return fmt.Errorf("%s: %s has more than %d bytes, the limit of this tool", param, Display(name), limit)
}

// readToEnd reads a file to its end, regardless of the size that it reports. It reads at most one
// byte more than limit.
func (d Dir) readToEnd(name string, limit int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// roomFor returns the bytes needed to read a file of this size.
func roomFor(size int64) int64 { return files.AnswerSize + size + 1 } // one byte to detect the end

// read reads a file of at most limit bytes.
func (d Dir) read(name string, limit int64, room []byte) files.Answer {
	answers, err := d.readMany([]string{name}, int(limit), room)
	if err != nil {
		return files.Answer{Err: err}
	}
	return answers[0]
}
