package commands

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strings"
	"time"
)

// decompress returns a reader of the uncompressed archive. It detects the compression from the
// first bytes.
func decompress(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	head, err := buffered.Peek(3)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(buffered)
	case bytes.HasPrefix(head, []byte("BZh")):
		return bzip2.NewReader(buffered), nil
	case len(head) == 0 && err == io.EOF:
		return nil, customary("This does not look like a tar archive")
	case err != nil && err != io.EOF:
		return nil, err
	}
	return buffered, nil
}

// wanted is a name or a pattern of files to read, and where to unpack them.
type wanted struct {
	tarName
	pattern *regexp.Regexp // nil without --wildcards
	unpack  *unpacker
	found   bool
}

// wants returns the names on the command line. A name without a text stands for all files.
func (a *archiver) wants() []*wanted {
	patterns := a.o.last("wildcards", "no-wildcards") == "wildcards"
	unpackers := map[string]*unpacker{}
	var list []*wanted
	for _, name := range a.names {
		if unpackers[name.dir] == nil {
			unpackers[name.dir] = newUnpacker(a.p, name.dir)
		}
		w := &wanted{tarName: name, unpack: unpackers[name.dir]}
		if patterns && name.name != "" {
			w.pattern = compileGlob(strings.TrimSuffix(name.name, "/"), false)
		}
		list = append(list, w)
	}
	return list
}

// matches reports whether the file, or a directory that contains it, is wanted.
func (w *wanted) matches(file string) bool {
	if w.name == "" {
		return true
	}
	for part := strings.TrimSuffix(file, "/"); ; part = path.Dir(part) {
		if w.pattern != nil && w.pattern.MatchString(part) || w.pattern == nil && part == strings.TrimSuffix(w.name, "/") {
			return true
		}
		if part == "." || part == "/" || part == "" {
			return false
		}
	}
}

// read lists or unpacks an archive.
func (a *archiver) read() error {
	in, err := a.p.open(a.archiveName())
	if err != nil {
		return fmt.Errorf("%s: Cannot open: %s", a.archiveName(), message(err))
	}
	defer in.Close()
	plain, err := decompress(in)
	if err != nil {
		return fmt.Errorf("%s: %w", a.archiveName(), err)
	}
	// Limit the bytes read here: the reader also reads files that it skips, and -t skips all files.
	archive := tar.NewReader(&boundedReader{r: plain, left: new(int64(2 * maxUnpacked))})
	list := a.wants()
	for !a.p.stopped() {
		header, err := archive.Next()
		if err == io.EOF {
			break
		}
		if errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
			return customary("This does not look like a tar archive, or it is truncated")
		}
		if err != nil {
			return err
		}
		if a.excluded(header.Name) || header.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		w := firstWanted(list, header.Name)
		if w == nil {
			continue
		}
		if err := a.entry(w.unpack, archive, header); err != nil {
			if errors.Is(err, errUnpacked) || errors.Is(err, errEntries) {
				return fmt.Errorf("%s: %w", a.archiveName(), err)
			}
			a.p.errorf("%s: %s", header.Name, message(err))
		}
	}
	for _, w := range list {
		if w.name != "" && !w.found && a.p.ctx.Err() == nil {
			a.p.errorf("%s: Not found in archive", w.name)
		}
		if !a.o.has("m") {
			w.unpack.finish()
		}
	}
	return nil
}

// firstWanted returns the first name that the file belongs to, or nil, and marks all of them.
func firstWanted(list []*wanted, file string) *wanted {
	var first *wanted
	for _, w := range list {
		if w.matches(file) {
			if w.found = true; first == nil {
				first = w
			}
		}
	}
	return first
}

var errLink = errors.New("it is a link, which the sandbox can't create")

func (a *archiver) entry(u *unpacker, r io.Reader, header *tar.Header) error {
	if a.o.has("t") {
		if a.verbose > 0 {
			a.p.print(a.long(header) + "\n")
		} else {
			a.p.print(header.Name + "\n")
		}
		return nil
	}
	name := header.Name
	if a.strip > 0 {
		parts := strings.SplitN(strings.TrimLeft(name, "/"), "/", a.strip+1)
		if len(parts) <= a.strip || parts[a.strip] == "" {
			return nil
		}
		name = parts[a.strip]
	}
	a.report(header)
	modified := header.ModTime
	if a.o.has("m") {
		modified = time.Time{}
	}
	switch header.Typeflag {
	case tar.TypeDir:
		if a.o.has("O") {
			return nil
		}
		return u.directory(name, modified)
	case tar.TypeReg, tar.TypeGNUSparse:
		if a.o.has("O") {
			return a.p.copy(a.p, u.bounded(r))
		}
		if place, err := u.place(name); err == nil {
			info, err := os.Lstat(place)
			switch {
			case err == nil && a.o.has("k"):
				return customary("Cannot open: File exists")
			case err == nil && info.IsDir():
				_ = os.Remove(place) // only an empty directory; otherwise opening the file fails
			}
		}
		return u.file(name, header.FileInfo().Mode(), modified, r)
	case tar.TypeSymlink, tar.TypeLink:
		if a.o.has("O") {
			return nil
		}
		return errLink
	}
	return errors.New("it is neither a file nor a directory")
}
