// Package audit writes receipts of calls to a file, one line of JSON each. A [Log] only appends to
// the file. When the file becomes too large, the Log starts a new file and removes the oldest one.
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

// Options says where receipts are written and how many are kept.
type Options struct {
	// File is the path of the file; required. If its directory does not exist, the Log creates a
	// directory that only the user can read. Earlier files are kept next to File; the latest of
	// them has the suffix ".1".
	File string
	// MaxBytes is the size at which another file is started; 0 or less means no limit.
	MaxBytes int64
	// Keep is the number of earlier files to keep.
	Keep int
}

// Log writes receipts. It is safe for concurrent use, and several processes may write to the same
// file: each line is written in one piece.
type Log struct {
	o Options

	mu   sync.Mutex
	file *os.File // nil before the first receipt and after Close
}

// New returns a Log. It opens no file before the first receipt.
func New(o Options) *Log { return &Log{o: o} }

// Write appends a receipt. When Write returns, the operating system has the receipt, but the
// receipt is not necessarily on disk. The error contains no path.
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

// ready opens the file unless it is open already. If another process has started a new file, ready
// opens the new file. If writing `more` bytes would exceed Options.MaxBytes, ready starts a new
// file.
func (l *Log) ready(more int64) error {
	if l.file != nil {
		ours, err := l.file.Stat()
		there, missing := os.Stat(l.o.File)
		if err != nil || missing != nil || !os.SameFile(ours, there) {
			_ = l.drop() // errors are ignored, because the receipts are already written
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
		return errors.Join(errors.New("it is not a regular file; choose another path"), file.Close())
	}
	l.file = file
	return nil
}

// rotate renames earlier files to make room for a new one.
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

// Close closes the file. A later Write opens it again.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	return withoutPath(l.drop())
}

// withoutPath returns an error without its host path.
func withoutPath(err error) error {
	reason, found := osreason.Of(err)
	if found {
		return fmt.Errorf("the audit file: %w", reason)
	}
	return reason
}
