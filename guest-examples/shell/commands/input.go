package commands

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// maxLine limits the length in bytes of a line, for commands that process lines.
const maxLine = 32 << 20

// maxHeld limits the input in bytes of commands that keep all input in memory, such as sort and
// tac, because a guest has a few hundred MiB of memory.
const maxHeld = 64 << 20

var (
	errLongLine = errors.New("a line is longer than the limit of 32 MiB")
	errTooLarge = errors.New("the input is larger than the limit of 64 MiB; process it in parts")
)

// open opens a file for reading; "-" is stdin. It implements devices such as /dev/null, because the
// file system of the sandbox has none.
func (p *process) open(name string) (io.ReadCloser, error) {
	switch name {
	case "-", "/dev/stdin", "/dev/fd/0":
		return io.NopCloser(p.env.Stdin), nil
	case "/dev/null":
		return io.NopCloser(strings.NewReader("")), nil
	}
	file := p.path(name)
	// A name that ends with a slash must be a directory.
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	} else if err == nil && strings.HasSuffix(name, "/") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	return os.Open(file)
}

// isDirectory reports whether a name is a directory.
func (p *process) isDirectory(name string) bool {
	info, err := os.Stat(p.path(name))
	return err == nil && info.IsDir()
}

// create opens a file for writing.
func (p *process) create(name string, flags int) (io.WriteCloser, error) {
	switch name {
	case "/dev/null":
		return nopWriteCloser{io.Discard}, nil
	case "/dev/stdout", "/dev/fd/1":
		return nopWriteCloser{p}, nil
	case "/dev/stderr", "/dev/fd/2":
		return nopWriteCloser{p.env.Stderr}, nil
	}
	return os.OpenFile(p.path(name), flags|os.O_WRONLY|os.O_CREATE, 0o666)
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }

// eachInput calls the function do for each file, or for stdin if files is empty, and reports files
// that can't be read. It returns the exit status.
func (p *process) eachInput(files []string, do func(name string, r io.Reader) error) int {
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		if p.stopped() {
			break
		}
		r, err := p.open(name)
		if err == nil {
			err = do(name, r)
			r.Close()
		}
		if err != nil && p.outErr == nil {
			p.errorf(p.unreadable, name, message(err))
		}
	}
	return p.status
}

// copy copies r to w until the end of r, or until the reader of w is closed.
func (p *process) copy(w io.Writer, r io.Reader) error {
	buf := make([]byte, 32<<10)
	for !p.stopped() {
		n, err := r.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readAll reads all of r. It returns an error if r is larger than the memory limit.
func (p *process) readAll(r io.Reader) ([]byte, error) { return p.appendAll(nil, r) }

// appendAll appends all of r to data. It returns an error if the result is larger than the memory
// limit.
func (p *process) appendAll(data []byte, r io.Reader) ([]byte, error) {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() < int64(p.maximum) {
			data = slices.Grow(data, int(info.Size())+1) // one more, to find the end
		}
	}
	for {
		if len(data) > p.maximum {
			return data, errTooLarge
		}
		if len(data) == cap(data) {
			more := max(len(data), 32<<10)
			if len(data) > 4<<20 {
				more = len(data) / 4 // what is not filled counts as memory of the script
			}
			data = slices.Grow(data, min(more, p.maximum+1-len(data)))
		}
		n, err := r.Read(data[len(data):min(cap(data), p.maximum+1)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return data, err
		}
	}
}

// readFile reads a file. It returns an error if the file is larger than the memory limit.
func (p *process) readFile(name string) ([]byte, error) {
	r, err := p.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return p.readAll(r)
}

// lineReader reads lines that end with a given byte, such as \n or NUL.
type lineReader struct {
	r   *bufio.Reader
	end byte
	buf []byte
}

func newLineReader(r io.Reader, end byte) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 32<<10), end: end}
}

// next returns the next line without its line end, and reports whether the line has one. The line
// is valid until the next call. The error is io.EOF after the last line.
func (l *lineReader) next() (line []byte, ended bool, err error) {
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice(l.end)
		switch {
		case err == nil && len(l.buf) == 0:
			return part[:len(part)-1], true, nil
		case err == nil:
			l.buf = append(l.buf, part...)
			return l.buf[:len(l.buf)-1], true, nil
		case err == io.EOF && len(l.buf)+len(part) == 0:
			return nil, false, io.EOF
		case err == io.EOF:
			l.buf = append(l.buf, part...)
			return l.buf, false, nil
		case err != bufio.ErrBufferFull:
			return nil, false, err
		}
		if l.buf = append(l.buf, part...); len(l.buf) > maxLine {
			return nil, false, errLongLine
		}
	}
}

// eachLine calls the function do for each line of r until do returns false.
func (p *process) eachLine(r io.Reader, end byte, do func(line []byte, ended bool) bool) error {
	lines := newLineReader(r, end)
	for !p.stopped() {
		line, ended, err := lines.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !do(line, ended) {
			return nil
		}
	}
	return nil
}

// writeLine writes a line and the byte that ends it.
func (p *process) writeLine(line []byte, end byte) {
	p.write(line)
	if p.outErr == nil {
		p.outErr = p.out.WriteByte(end)
	}
}

// lineEnd returns the byte that ends lines: NUL if the option is set, otherwise \n.
func lineEnd(o options, option string) byte {
	if o.has(option) {
		return 0
	}
	return '\n'
}
