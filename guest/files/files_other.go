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

// maxName is how many bytes the name of an entry has at most.
const maxName = 255

// each asks for the files, one after the other; ask appends what a file holds to what is
// there of the room.
func (d Dir) each(names []string, room []byte, ask func(name string, to []byte, a *Answer) []byte) ([]Answer, error) {
	table := len(names) * AnswerSize
	if len(names) > MaxNames || table > len(room) {
		return nil, &host.Fault{Kind: "too_large", Message: "too many files at once: name at most 4096, and give 32 bytes of room for each and more for what it holds"}
	}
	answers := make([]Answer, len(names))
	rest := room[table:table:len(room)]
	for i, name := range names {
		a := &answers[i]
		filled := ask(filepath.Join(string(d), filepath.FromSlash(name)), rest, a)
		a.Content = filled
		rest = rest[len(filled):len(filled):cap(rest)]
	}
	return answers, nil
}

// describe fills in what os.Lstat or os.Stat says.
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

func (d Dir) stat(names []string, room []byte) ([]Answer, error) {
	return d.each(names, room, func(name string, to []byte, a *Answer) []byte {
		a.describe(os.Lstat(name))
		return to
	})
}

func (d Dir) list(names []string, room []byte) ([]Answer, error) {
	return d.each(names, room, func(name string, to []byte, a *Answer) []byte {
		entries, err := os.ReadDir(name)
		if err != nil {
			a.describe(nil, err)
			return to
		}
		a.Type = fs.ModeDir
		for _, e := range entries {
			if len(e.Name()) > maxName { // the host leaves it out, too
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

func (d Dir) read(names []string, most int, room []byte) ([]Answer, error) {
	return d.each(names, room, func(name string, to []byte, a *Answer) []byte {
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
		case a.Size > int64(min(most, len(room))):
			a.Err = syscall.EFBIG
			return to
		}
		content, err := os.ReadFile(name)
		switch {
		case err != nil:
			a.describe(nil, err)
		case len(content) > most:
			a.Err = syscall.EFBIG
		case len(content) >= cap(to): // the host wants a byte more to find the end
			a.Err = syscall.ENOBUFS
		default:
			return append(to, content...)
		}
		return to
	})
}
