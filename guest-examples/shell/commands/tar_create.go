package commands

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// create writes a new archive.
func (a *archiver) create() error {
	if len(a.names) == 0 && !a.o.has("T") {
		return customary("Cowardly refusing to create an empty archive")
	}
	target := a.archiveName()
	if a.o.has("a") && (strings.HasSuffix(target, ".bz2") || strings.HasSuffix(target, ".xz") || strings.HasSuffix(target, ".zst")) {
		return fmt.Errorf("%s: only gzip can be written; use a name that ends in .tar.gz", target)
	}
	var out io.WriteCloser = nopWriteCloser{a.p}
	if target != "-" {
		w, err := a.p.create(target, os.O_TRUNC)
		if err != nil {
			return fmt.Errorf("%s: Cannot open: %s", target, message(err))
		}
		out = w
	}
	compressed := out
	if a.o.has("z") || a.o.has("I") || a.o.has("a") && (strings.HasSuffix(target, ".gz") || strings.HasSuffix(target, ".tgz")) {
		compressed = gzip.NewWriter(out)
	}
	w := tar.NewWriter(compressed)
	for _, name := range a.names {
		a.add(w, name, target)
	}
	err := w.Close()
	if compressed != out {
		err = firstError(err, compressed.Close())
	}
	return firstError(err, out.Close())
}

// add adds a file, or a directory with its content.
func (a *archiver) add(w *tar.Writer, name tarName, target string) {
	start := joinPath(name.dir, name.name)
	rules := walkRules{}
	if a.o.has("h") {
		rules.follow = allLinks
	}
	a.p.walk(start, rules, func(f found) walkStep {
		shown := name.name + strings.TrimPrefix(f.name, start)
		switch {
		case a.excluded(shown):
			return skipDirectory
		case target != "-" && f.path == a.p.path(target):
			status := a.p.status
			a.p.errorf("%s: file is the archive; not dumped", shown)
			a.p.status = status
			return skipDirectory
		}
		if err := a.addOne(w, shown, f); err != nil {
			a.p.errorf("%s: %s", shown, message(err))
		}
		return descend
	}, func(failed string, err error) {
		a.p.errorf("%s: Cannot stat: %s", name.name+strings.TrimPrefix(failed, start), message(err))
	})
}

func (a *archiver) addOne(w *tar.Writer, shown string, f found) error {
	link := ""
	var err error
	if f.info.Mode()&fs.ModeSymlink != 0 {
		if a.o.has("h") {
			return fs.ErrNotExist // the target of the link
		}
		if link, err = os.Readlink(f.path); err != nil {
			return err
		}
	}
	header, err := tar.FileInfoHeader(f.info, link)
	if err != nil {
		return err
	}
	header.Name = shown
	if !a.o.has("P") {
		if header.Name = strings.TrimLeft(shown, "/"); header.Name != shown {
			a.warnAbsolute()
		}
	}
	if f.info.IsDir() {
		header.Name = strings.TrimRight(header.Name, "/") + "/"
	}
	a.setAttributes(header, f.info)
	if header.Name == "/" && !a.o.has("P") {
		return nil // the root itself
	}
	a.report(header)
	if err := w.WriteHeader(header); err != nil || !f.info.Mode().IsRegular() {
		return err
	}
	r, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer r.Close()
	return a.p.copy(w, io.LimitReader(r, header.Size))
}

// warnAbsolute reports once that names lose their first slash.
func (a *archiver) warnAbsolute() {
	if a.warned {
		return
	}
	a.warned = true
	fmt.Fprintf(a.p.env.Stderr, "%s: Removing leading `/' from member names\n", a.p.name)
}

// setAttributes sets the owner, and what options set for all files.
func (a *archiver) setAttributes(header *tar.Header, info fs.FileInfo) {
	n := a.attributes
	header.Uname, header.Uid, header.Gname, header.Gid = n.owner, n.ownerID, n.group, n.groupID
	if a.o.has("numeric-owner") {
		header.Uname, header.Gname = "", ""
	}
	if n.mode != nil {
		header.Mode = int64(unixMode(n.mode(info.Mode(), info.IsDir())))
	}
	if !n.modified.IsZero() {
		header.ModTime = n.modified
	}
}
