//go:build !wasip1

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/wasmtool/wasmtool/guest/internal/host"
)

// maxName is the length limit of an entry's name, in bytes.
const maxName = 255

// each calls the function ask for each name in order. ask sets the fields of the Answer, and
// appends the content of the file to the free part of buf.
func (d Dir) each(names []string, buf []byte, ask func(name string, to []byte, a *Answer) []byte) ([]Answer, error) {
	table := len(names) * AnswerSize
	if len(names) > MaxNames || table > len(buf) {
		return nil, &host.Error{Kind: "too_large", Message: "too many files at once: name at most 4096, and pass a buffer of 32 bytes for each file plus the size of its content"}
	}
	answers := make([]Answer, len(names))
	rest := buf[table:table:len(buf)]
	for i, name := range names {
		a := &answers[i]
		filled := ask(filepath.Join(string(d), filepath.FromSlash(name)), rest, a)
		a.Content = filled
		rest = rest[len(filled):len(filled):cap(rest)]
	}
	return answers, nil
}

// describe sets the fields from the results of os.Lstat or os.Stat.
func (a *Answer) describe(info fs.FileInfo, err error) {
	var errno syscall.Errno
	switch {
	case err == nil:
		a.Type, a.Size, a.ModTime = info.Mode().Type(), info.Size(), info.ModTime()
	case errors.As(err, &errno):
		a.Err = errno
	default:
		a.Err = err
	}
}

func (d Dir) stat(names []string, buf []byte) ([]Answer, error) {
	return d.each(names, buf, func(name string, to []byte, a *Answer) []byte {
		a.describe(os.Lstat(name))
		return to
	})
}

func (d Dir) list(names []string, buf []byte) ([]Answer, error) {
	return d.each(names, buf, func(name string, to []byte, a *Answer) []byte {
		entries, err := os.ReadDir(name)
		if err != nil {
			a.describe(nil, err)
			return to
		}
		a.Type = fs.ModeDir
		for _, e := range entries {
			if len(e.Name()) > maxName { // the host also omits such an entry
				continue
			}
			if len(to)+2+len(e.Name()) > cap(to) {
				a.Err = syscall.ENOBUFS
				return to[:0]
			}
			to = append(append(to, kindOf(e.Type()), byte(len(e.Name()))), e.Name()...)
		}
		return to
	})
}

func kindOf(mode fs.FileMode) byte {
	switch mode {
	case fs.ModeDir:
		return wasiDir
	case 0:
		return wasiRegular
	case fs.ModeSymlink:
		return wasiLink
	}
	return 0
}

func (d Dir) read(names []string, limit int, buf []byte) ([]Answer, error) {
	return d.each(names, buf, func(name string, to []byte, a *Answer) []byte {
		a.describe(os.Stat(name))
		switch {
		case a.Err != nil:
			return to
		case a.Type == fs.ModeDir:
			a.Err = syscall.EISDIR
			return to
		case a.Type != 0:
			a.Err = syscall.EACCES
			return to
		case a.Size > int64(min(limit, len(buf))):
			a.Err = syscall.EFBIG
			return to
		}
		content, err := os.ReadFile(name)
		switch {
		case err != nil:
			a.describe(nil, err)
		case len(content) > limit:
			a.Err = syscall.EFBIG
		// the host needs one byte more than the content, to detect the end of the file
		case len(content) >= cap(to):
			a.Err = syscall.ENOBUFS
		default:
			return append(to, content...)
		}
		return to
	})
}
