package commands

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

const (
	// maxUnpacked limits the total size of unpacked files in bytes, and maxEntries limits their
	// number, because an archive of a few KiB can expand to terabytes.
	maxUnpacked = 512 << 20
	maxEntries  = 100_000
)

var (
	errUnpacked = errors.New("the archive unpacks to more than the limit of 512 MiB")
	errEntries  = errors.New("the archive has more than the limit of 100000 files")
	errOutside  = errors.New("the name is outside the target directory")
)

// unpacker writes the files of an archive below a directory. It rejects names that lead out of the
// directory.
type unpacker struct {
	p       *process
	dir     string // absolute
	left    int64  // bytes left until the limit
	entries int
	times   []directoryTime
}

type directoryTime struct {
	place    string
	modified time.Time
}

func newUnpacker(p *process, dir string) *unpacker {
	return &unpacker{p: p, dir: p.path(dir), left: maxUnpacked}
}

// place returns the path of the file to write for a name in an archive. It removes leading slashes
// from the name, and rejects a name that contains .. as a part.
func (u *unpacker) place(name string) (string, error) {
	if u.entries++; u.entries > maxEntries {
		return "", errEntries
	}
	name = strings.TrimLeft(name, "/")
	for part := range strings.SplitSeq(strings.ReplaceAll(name, `\`, "/"), "/") {
		if part == ".." {
			return "", errOutside
		}
	}
	if strings.ContainsRune(name, 0) {
		return "", fs.ErrInvalid
	}
	return path.Join(u.dir, name), nil
}

// directory creates a directory. finish sets its time, because each file in it changes the time.
func (u *unpacker) directory(name string, modified time.Time) error {
	place, err := u.place(name)
	if err != nil {
		return err
	}
	if modified.Unix() > 0 {
		u.times = append(u.times, directoryTime{place, modified})
	}
	return os.MkdirAll(place, 0o777)
}

// finish sets the times of the directories.
func (u *unpacker) finish() {
	for _, t := range u.times {
		// The files are there, so a wrong time is not worth an error.
		_ = os.Chtimes(t.place, t.modified, t.modified)
	}
	u.times = nil
}

// file writes a file and creates its parent directories.
func (u *unpacker) file(name string, mode fs.FileMode, modified time.Time, r io.Reader) error {
	place, err := u.place(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(path.Dir(place), 0o777); err != nil {
		return err
	}
	w, err := os.OpenFile(place, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode.Perm()|0o600)
	if err != nil {
		return err
	}
	if err := firstError(u.p.copy(w, u.bounded(r)), w.Close()); err != nil {
		return err
	}
	if modified.Unix() <= 0 {
		return nil
	}
	return os.Chtimes(place, modified, modified)
}

// bounded returns a reader that returns an error when the limit of unpacked bytes is reached.
func (u *unpacker) bounded(r io.Reader) io.Reader { return &boundedReader{r: r, left: &u.left} }

// boundedReader returns an error if r has more bytes than the field left allows. Each read reduces
// left.
type boundedReader struct {
	r    io.Reader
	left *int64
}

func (b *boundedReader) Read(buf []byte) (int, error) {
	n, err := b.r.Read(buf)
	if *b.left -= int64(n); *b.left < 0 {
		return 0, errUnpacked
	}
	return n, err
}
