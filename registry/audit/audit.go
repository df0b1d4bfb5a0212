// Package audit keeps the receipts of calls in a file, a line of JSON for each. The file is
// only added to; when it becomes too large another is begun, and the oldest goes.
package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/wasmtool/wasmtool/internal/osreason"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Options says where and how much is kept.
type Options struct {
	// File is the path of the file; required. Its folder is made for the user alone when it
	// is missing. Earlier files are beside it, with ".1" for the latest of them.
	File string
	// MaxBytes is how large the file may become before another is begun; 0 or less means
	// that it may grow without end.
	MaxBytes int64
	// Keep is how many earlier files are kept.
	Keep int
}

// Log writes receipts. It is safe for concurrent use, and several processes may have one of
// the same file: a line is written in one piece.
type Log struct {
	o Options

	mu   sync.Mutex
	file *os.File // nil before the first receipt and after Close
}

// New returns a Log. Nothing is opened before the first receipt.
func New(o Options) *Log { return &Log{o: o} }

// Write adds a receipt. It is on its way to the disk when Write returns. An error holds no
// path.
func (l *Log) Write(r tool.Receipt) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("the receipt cannot be written as JSON: %w", err)
	}
	line = append(line, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ready(int64(len(line))); err != nil {
		return withoutPath(err)
	}
	_, err = l.file.Write(line)
	return withoutPath(err)
}

// ready opens the file, and begins another when a line of so many bytes does not fit or
// somebody else has begun one.
func (l *Log) ready(more int64) error {
	if l.file != nil {
		ours, err := l.file.Stat()
		there, missing := os.Stat(l.o.File)
		if err != nil || missing != nil || !os.SameFile(ours, there) {
			_ = l.drop() // what was written is written
		}
	}
	if err := l.open(); err != nil {
		return err
	}
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	if l.o.MaxBytes <= 0 || info.Size() == 0 || info.Size()+more <= l.o.MaxBytes {
		return nil
	}
	_ = l.drop()
	if err := l.rotate(); err != nil {
		return err
	}
	return l.open()
}

func (l *Log) open() error {
	if l.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(l.o.File), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(l.o.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(errors.New("it is no regular file"), file.Close())
	}
	l.file = file
	return nil
}

// rotate makes room for another file under the name.
func (l *Log) rotate() error {
	earlier := func(n int) string { return l.o.File + "." + strconv.Itoa(n) }
	if l.o.Keep <= 0 {
		return os.Remove(l.o.File)
	}
	for n := l.o.Keep - 1; n >= 1; n-- {
		if err := os.Rename(earlier(n), earlier(n+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(l.o.File, earlier(1))
}

func (l *Log) drop() error {
	err := l.file.Close()
	l.file = nil
	return err
}

// Close closes the file. Writing again opens it again.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	return withoutPath(l.drop())
}

// withoutPath is an error without a path of the host.
func withoutPath(err error) error {
	reason, found := osreason.Of(err)
	if found {
		return fmt.Errorf("the file of the record: %w", reason)
	}
	return reason
}
