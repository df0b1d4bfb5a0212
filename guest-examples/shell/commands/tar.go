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
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
)

const tarOptions = "c,create x,extract,get t,list f,file: z,gzip,gunzip a,auto-compress j,bzip2 J,xz v,verbose C,directory: O,to-stdout k,keep-old-files " +
	"strip-components: exclude: p,preserve-permissions m,touch no-same-owner same-owner P,absolute-names h,dereference sort: owner: group: mtime: " +
	"numeric-owner overwrite wildcards r,append u,update d,diff"

var tarSpec = spec{
	name: "tar", synopsis: "-c|-x|-t [-zv] [-f ARCHIVE] [-C DIR] [FILE]...", usage: 2,
	options: tarOptions,
	note:    "Files are only written below the target directory, and links are not created. At most 512 MiB and 100000 files are unpacked. bzip2 can only be read; xz is not supported.",
	run:     runTar,
}

// archiver is one run of tar.
type archiver struct {
	p       *process
	o       options
	strip   int
	exclude []*regexp.Regexp
	dir     string // the directory of -C, as written on the command line
}

func runTar(p *process, o options, names []string) int {
	// Accept the old form without a dash: tar xzf ARCHIVE.
	if words := p.env.Args[1:]; len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		var err error
		if o, names, err = parseOptions(tarOptions, oldForm(words)); err != nil {
			p.errorf("%v", err)
			return 2
		}
	}
	a := &archiver{p: p, o: o, dir: o.value("C", ".")}
	if o.has("strip-components") {
		n, err := strconv.Atoi(o.value("strip-components", ""))
		if err != nil || n < 0 {
			p.errorf("%s: Invalid number of elements", o.value("strip-components", ""))
			return 2
		}
		a.strip = n
	}
	for _, glob := range o.values("exclude") {
		a.exclude = append(a.exclude, compileGlob(strings.TrimSuffix(glob, "/"), false))
	}
	if !p.isDirectory(a.dir) {
		p.errorf("%s: Cannot open: No such file or directory", a.dir)
		return 2
	}
	var err error
	switch {
	case o.has("J"), o.has("r"), o.has("u"), o.has("d"):
		err = errors.New("-J, -r, -u and -d are not supported; use -c, -x or -t, with or without -z")
	case o.has("c"):
		err = a.create(names)
	case o.has("x"), o.has("t"):
		err = a.read(names)
	default:
		err = customary("You must specify one of the options -c, -x and -t")
	}
	if err != nil && p.outErr == nil {
		p.errorf("%v", err)
		return 2
	}
	if p.status != 0 {
		p.errorf("Exiting with failure status due to previous errors")
		return 2
	}
	return 0
}

// oldForm rewrites xzf ARCHIVE as -xz -f ARCHIVE. The values follow in the order of the letters
// that need a value.
func oldForm(words []string) []string {
	letters, rest := words[0], words[1:]
	var out []string
	for _, letter := range letters {
		out = append(out, "-"+string(letter))
		if (letter == 'f' || letter == 'C') && len(rest) > 0 {
			out, rest = append(out, rest[0]), rest[1:]
		}
	}
	return append(out, rest...)
}

func (a *archiver) archiveName() string { return a.o.value("f", "-") }

// excluded reports whether an --exclude pattern matches the name or a part of it.
func (a *archiver) excluded(name string) bool {
	for _, glob := range a.exclude {
		for rest := strings.TrimSuffix(name, "/"); ; {
			if glob.MatchString(rest) {
				return true
			}
			_, after, more := strings.Cut(rest, "/")
			if !more {
				break
			}
			rest = after
		}
	}
	return false
}

func (a *archiver) create(names []string) error {
	if len(names) == 0 {
		return customary("Cowardly refusing to create an empty archive")
	}
	target := a.archiveName()
	var out io.WriteCloser = nopWriteCloser{a.p}
	if target != "-" {
		w, err := a.p.create(target, os.O_TRUNC)
		if err != nil {
			return fmt.Errorf("%s: Cannot open: %s", target, message(err))
		}
		out = w
	}
	compressed := out
	if a.o.has("z") || a.o.has("a") && (strings.HasSuffix(target, ".gz") || strings.HasSuffix(target, ".tgz")) {
		compressed = gzip.NewWriter(out)
	}
	w := tar.NewWriter(compressed)
	for _, name := range names {
		a.add(w, name, target)
	}
	err := w.Close()
	if compressed != out {
		err = firstError(err, compressed.Close())
	}
	return firstError(err, out.Close())
}

// add adds a file, or a directory with its content.
func (a *archiver) add(w *tar.Writer, name, target string) {
	start := name
	if a.dir != "." && !path.IsAbs(name) {
		start = join(a.dir, name)
	}
	a.p.walk(start, false, func(f found) walkStep {
		shown := name + strings.TrimPrefix(f.name, start)
		switch {
		case a.excluded(shown):
			return skipDirectory
		case target != "-" && f.path == a.p.path(target):
			a.p.errorf("%s: file is the archive; not dumped", shown)
			a.p.status = 0
			return skipDirectory
		}
		if err := a.addOne(w, shown, f); err != nil {
			a.p.errorf("%s: %s", shown, message(err))
		}
		return descend
	}, func(failed string, err error) {
		a.p.errorf("%s: Cannot stat: %s", name+strings.TrimPrefix(failed, start), message(err))
	})
}

func (a *archiver) addOne(w *tar.Writer, shown string, f found) error {
	link := ""
	if f.info.Mode()&fs.ModeSymlink != 0 {
		var err error
		if link, err = os.Readlink(f.path); err != nil {
			return err
		}
	}
	header, err := tar.FileInfoHeader(f.info, link)
	if err != nil {
		return err
	}
	header.Name = strings.TrimLeft(shown, "/")
	if f.info.IsDir() {
		header.Name = strings.TrimSuffix(header.Name, "/") + "/"
	}
	header.Uid, header.Gid, header.Uname, header.Gname = 1000, 1000, userName, userName
	if header.Name == "/" {
		return nil // the root itself
	}
	if a.o.has("v") {
		a.say(header.Name)
	}
	if err := w.WriteHeader(header); err != nil || !f.info.Mode().IsRegular() {
		return err
	}
	r, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer r.Close()
	return a.p.copy(w, r)
}

// say prints the name of a file to stdout. It prints to stderr if stdout is used for the archive or
// for the content of files.
func (a *archiver) say(name string) {
	if a.archiveName() == "-" && a.o.has("c") || a.o.has("O") {
		fmt.Fprintln(a.p.env.Stderr, name)
		return
	}
	a.p.print(name + "\n")
}

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
	case err != nil && err != io.EOF:
		return nil, err
	}
	return buffered, nil
}

func (a *archiver) read(names []string) error {
	in, err := a.p.open(a.archiveName())
	if err != nil {
		return fmt.Errorf("%s: Cannot open: %s", a.archiveName(), message(err))
	}
	defer in.Close()
	plain, err := decompress(in)
	if err != nil {
		return fmt.Errorf("%s: %w", a.archiveName(), err)
	}
	u := newUnpacker(a.p, a.dir)
	// Limit the bytes read here: the reader also reads files that it skips, and -t skips all files.
	archive := tar.NewReader(&boundedReader{r: plain, left: new(int64(2 * maxUnpacked))})
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[strings.TrimSuffix(name, "/")] = false
	}
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
		if len(names) > 0 && !mark(wanted, header.Name) || a.excluded(header.Name) {
			continue
		}
		if err := a.entry(u, archive, header); err != nil {
			if errors.Is(err, errUnpacked) || errors.Is(err, errEntries) {
				return fmt.Errorf("%s: %w", a.archiveName(), err)
			}
			a.p.errorf("%s: %s", header.Name, message(err))
		}
	}
	for _, name := range names {
		if !wanted[strings.TrimSuffix(name, "/")] && a.p.ctx.Err() == nil {
			a.p.errorf("%s: Not found in archive", name)
		}
	}
	return nil
}

// mark marks the names in wanted that a file of the archive matches. It reports whether the file is
// wanted.
func mark(wanted map[string]bool, name string) bool {
	for part := strings.TrimSuffix(name, "/"); part != "." && part != "/" && part != ""; part = path.Dir(part) {
		if _, ok := wanted[part]; ok {
			wanted[part] = true
			return true
		}
	}
	return false
}

var errLink = errors.New("it is a link, which the sandbox can't create")

func (a *archiver) entry(u *unpacker, r io.Reader, header *tar.Header) error {
	if a.o.has("t") {
		if a.o.has("v") {
			a.p.printf("%s %s/%s %9d %s ", modeText(header.FileInfo().Mode()), header.Uname, header.Gname, header.Size, strftime("%F %R", a.p.in(header.ModTime)))
		}
		a.p.print(header.Name + "\n")
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
	if a.o.has("v") {
		a.say(header.Name)
	}
	switch header.Typeflag {
	case tar.TypeDir:
		if a.o.has("O") {
			return nil
		}
		return u.directory(name)
	case tar.TypeReg:
		if a.o.has("O") {
			return a.p.copy(a.p, u.bounded(r))
		}
		if place, err := u.place(name); a.o.has("k") && err == nil {
			if _, err := os.Lstat(place); err == nil {
				return customary("Cannot open: File exists")
			}
		}
		return u.file(name, header.FileInfo().Mode(), header.ModTime, r)
	case tar.TypeSymlink, tar.TypeLink:
		return errLink
	case tar.TypeXGlobalHeader:
		return nil
	}
	return errors.New("it is neither a file nor a directory")
}
