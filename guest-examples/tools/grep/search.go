package grep

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// search is the state of one call. It searches the files below start and adds the results to the
// report.
type search struct {
	fsys    fs.FS
	start   string
	filter  workspace.Filter
	hidden  bool
	ignored bool
	scanner scanner
	report  report

	source *bufio.Reader // reused for all files
	many   *workspace.Batch
	queue  queue
}

// run searches the files and writes the report to out.
func (s *search) run(out io.Writer) error {
	s.source = bufio.NewReaderSize(nil, text.SniffLen)
	info, err := fs.Stat(s.fsys, s.start)
	if err != nil {
		return workspace.Explain(s.fsys, "path", s.start, err)
	}
	if info.IsDir() {
		err = s.directory()
	} else {
		err = s.single()
	}
	if err != nil {
		return err
	}
	return s.report.finish(out)
}

func (s *search) directory() error {
	s.many, s.queue.size = workspace.NewBatch(s.fsys, readRoom), firstBatch
	walker := workspace.Walker{FS: s.fsys, Start: s.start, Hidden: s.hidden, Ignored: s.ignored, Unread: &s.report.unread, LeftOut: &s.report.leftOut}
	if below, exact := s.filter.Exact(); exact {
		// The caller named the file, so it may be hidden or ignored.
		walker.Start = path.Join(s.start, below)
		if info, err := fs.Lstat(s.fsys, walker.Start); err != nil || info.IsDir() {
			return nil
		}
	}
	err := walker.Walk(func(name string, entry fs.DirEntry) error {
		if entry.Type().IsRegular() && s.filter.Selects(workspace.Below(s.start, name)) {
			s.queue.names, s.queue.entries = append(s.queue.names, name), append(s.queue.entries, entry)
			if len(s.queue.names) >= s.queue.size {
				s.batch()
			}
		}
		return nil
	})
	if err != nil {
		return workspace.Explain(s.fsys, "path", s.start, err)
	}
	for len(s.queue.names) > 0 {
		s.batch()
	}
	return nil
}

// outcome counts a binary file, and records a file that could not be read.
func (s *search) outcome(name string, entry fs.DirEntry, err error) {
	switch {
	case errors.Is(err, text.ErrBinary):
		s.report.binary++
	case err != nil && mayBeRead(entry):
		s.report.unread.Add(name)
	}
}

// mayBeRead reports whether a file that could not be read is reported. It calls Info only here,
// because Info needs a host call for each file.
func mayBeRead(entry fs.DirEntry) bool {
	info, err := entry.Info()
	return err != nil || workspace.Regular(info)
}

// single searches one file, which the argument path names. It returns an error if that file can't
// be searched.
func (s *search) single() error {
	err := s.file(s.start)
	switch {
	case errors.Is(err, text.ErrBinary):
		return fmt.Errorf("path: %s is a binary file; grep searches only text", workspace.Display(s.start))
	case err != nil:
		return workspace.Explain(s.fsys, "path", s.start, err)
	}
	return nil
}

// file searches one file. Results found before an error stay in the report.
func (s *search) file(name string) error {
	f, err := s.fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	s.source.Reset(f)
	decoded, err := text.NewReader(s.source)
	if err != nil {
		return err
	}
	s.report.begin(name)
	scanErr := s.scanner.scan(decoded, s.report.add)
	if err := s.report.end(s.reopen(name)); scanErr == nil {
		scanErr = err
	}
	return scanErr
}

// reopen returns a function that opens the text of a file again.
func (s *search) reopen(name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		f, err := s.fsys.Open(name)
		if err != nil {
			return nil, err
		}
		decoded, err := text.NewReader(bufio.NewReaderSize(f, text.SniffLen))
		if err != nil {
			f.Close()
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{decoded, f}, nil
	}
}
