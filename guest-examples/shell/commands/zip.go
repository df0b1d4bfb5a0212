package commands

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"time"
)

var zipSpec = spec{
	name: "zip", synopsis: "[-rqj] [-x PATTERN]... ARCHIVE FILE...", usage: 16,
	options: "r,recurse-paths q,quiet j,junk-paths x,exclude: 0 1 2 3 4 5 6 7 8 9 X",
	note:    "An existing archive is replaced.",
	run:     runZip,
}

func runZip(p *process, o options, names []string) int {
	if len(names) < 2 {
		p.errorf("give an archive and the files to add")
		return 16
	}
	target := names[0]
	if path.Ext(target) == "" && target != "-" {
		target += ".zip"
	}
	var exclude []*regexp.Regexp
	for _, glob := range o.values("x") {
		exclude = append(exclude, compileGlob(glob, false))
	}
	var packed bounded
	w := zip.NewWriter(&packed)
	level := cmp.Or(o.last("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"), "6")
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, int(level[0]-'0')) })
	for _, start := range names[1:] {
		p.walk(start, walkRules{}, func(f found) walkStep {
			name := strings.TrimPrefix(strings.TrimLeft(f.name, "/"), "./")
			if matchesAny(exclude, name) || f.path == p.path(target) {
				return skipDirectory
			}
			if o.has("j") {
				name = path.Base(name)
			}
			if err := p.addToZip(w, f, name, o); err != nil {
				p.errorf("%s: %s", f.name, message(err))
			}
			if !o.has("r") {
				return skipDirectory
			}
			return descend
		}, func(name string, err error) {
			p.errorf("warning: name not matched: %s (%s)", name, message(err))
			p.status = 12
		})
	}
	if err := w.Close(); err != nil {
		return p.fail("%v", err)
	}
	var out io.WriteCloser = nopWriteCloser{p}
	if target != "-" {
		created, err := p.create(target, os.O_TRUNC)
		if err != nil {
			return p.fail("%s: %s", target, message(err))
		}
		out = created
	}
	if _, err := out.Write(packed.Bytes()); firstError(err, out.Close()) != nil {
		return p.fail("%s: %s", target, message(err))
	}
	return p.status
}

func (p *process) addToZip(w *zip.Writer, f found, name string, o options) error {
	if name == "" || name == "." || f.info.IsDir() && o.has("j") {
		return nil
	}
	header, err := zip.FileInfoHeader(f.info)
	if err != nil {
		return err
	}
	header.Name, header.Method = name, zip.Deflate
	if o.last("0", "1", "2", "3", "4", "5", "6", "7", "8", "9") == "0" {
		header.Method = zip.Store
	}
	if f.info.IsDir() {
		header.Name, header.Method = name+"/", zip.Store
	}
	if o.has("X") {
		// Modified would add an extra field. The other fields keep the time, to two seconds.
		header.Modified = time.Time{}
	}
	if !o.has("q") {
		p.printf("  adding: %s\n", header.Name)
	}
	entry, err := w.CreateHeader(header)
	if err != nil || f.info.IsDir() {
		return err
	}
	if !f.info.Mode().IsRegular() {
		return errors.New("it is neither a file nor a directory")
	}
	r, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer r.Close()
	return p.copy(entry, r)
}

var unzip = spec{
	name: "unzip", synopsis: "[-lpqnojt] [-d DIR] ARCHIVE [PATTERN]... [-x PATTERN...]",
	options: "= l p q o n j t d: x:",
	note:    "Files are only written below the target directory. At most 512 MiB and 100000 files are unpacked.",
	run:     runUnzip,
}

func runUnzip(p *process, o options, names []string) int {
	if len(names) == 0 {
		return p.fail("give an archive")
	}
	data, err := p.readFile(names[0])
	if err != nil && path.Ext(names[0]) == "" {
		data, err = p.readFile(names[0] + ".zip")
	}
	if err != nil {
		p.errorf("cannot find or open %s: %s", names[0], message(err))
		return 9
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		p.errorf("%s: %v", names[0], err)
		return 9
	}
	patterns := zipPatterns(o)
	if o.has("l") {
		listZip(p, names[0], archive, patterns)
		return p.status
	}
	u := newUnpacker(p, o.value("d", "."))
	if err := os.MkdirAll(u.dir, 0o777); err != nil {
		return p.fail("cannot create %s: %s", o.value("d", "."), message(err))
	}
	matched := false
	for _, entry := range archive.File {
		if p.stopped() {
			break
		}
		if !patterns.match(entry.Name) {
			continue
		}
		matched = true
		if err := p.unzipOne(o, u, entry); err != nil {
			p.errorf("%s: %s", entry.Name, message(err))
			if errors.Is(err, errUnpacked) || errors.Is(err, errEntries) {
				break
			}
		}
	}
	u.finish()
	if len(patterns.wanted) > 0 && !matched {
		p.errorf("caution: filename not matched: %s", strings.Join(names[1:], " "))
		return 11
	}
	return p.status
}

// zipSelection selects files of an archive.
type zipSelection struct{ wanted, excluded []*regexp.Regexp }

// zipPatterns returns the patterns on the command line. The operands after -x, up to another
// option, are patterns of files to leave out.
func zipPatterns(o options) zipSelection {
	var s zipSelection
	excluding, archive := false, true
	for _, opt := range o {
		switch {
		case opt.name == "x":
			s.excluded = append(s.excluded, compileGlob(opt.value, false))
			excluding = true
		case opt.name != operandOption:
			excluding = false
		case archive: // the first operand
			archive = false
		case excluding:
			s.excluded = append(s.excluded, compileGlob(opt.value, false))
		default:
			s.wanted = append(s.wanted, compileGlob(opt.value, false))
		}
	}
	return s
}

func (s zipSelection) match(name string) bool {
	return (len(s.wanted) == 0 || matchesAny(s.wanted, name)) && !matchesAny(s.excluded, name)
}

func listZip(p *process, name string, archive *zip.Reader, patterns zipSelection) {
	p.printf("Archive:  %s\n  Length      Date    Time    Name\n---------  ---------- -----   ----\n", name)
	total, count := uint64(0), 0
	for _, entry := range archive.File {
		if !patterns.match(entry.Name) {
			continue
		}
		p.printf("%9d  %s   %s\n", entry.UncompressedSize64, strftime("%F %R", p.in(entry.Modified)), entry.Name)
		total += entry.UncompressedSize64
		count++
	}
	p.printf("---------                     -------\n%9d                     %d %s\n", total, count, plural(count, "file", "files"))
}

func (p *process) unzipOne(o options, u *unpacker, entry *zip.File) error {
	name := entry.Name
	if o.has("j") {
		name = path.Base(name)
	}
	if entry.FileInfo().IsDir() {
		if o.has("p") || o.has("t") || o.has("j") {
			return nil
		}
		return u.directory(name, entry.Modified)
	}
	if entry.Mode()&fs.ModeSymlink != 0 {
		return errLink
	}
	r, err := entry.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	switch {
	case o.has("p"):
		return p.copy(p, u.bounded(r))
	case o.has("t"):
		return p.copy(io.Discard, u.bounded(r))
	}
	place, err := u.place(name)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(place); err == nil && !o.has("o") {
		if o.has("n") {
			return nil
		}
		return errors.New("the file already exists; use -o to overwrite it or -n to keep it")
	}
	if !o.has("q") {
		p.printf("  inflating: %s\n", name)
	}
	return u.file(name, entry.Mode(), entry.Modified, r)
}
