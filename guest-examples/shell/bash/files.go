package bash

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
	"mvdan.cc/sh/v3/interp"
)

// open opens the target of a redirection. It implements devices such as /dev/null, because the file
// system of the sandbox has none.
func (s *shell) open(ctx context.Context, name string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
	s.leave()
	hc := interp.HandlerCtx(ctx)
	full := command.Path(hc.Dir, name)
	if name == "" {
		return nil, refusal(name, fs.ErrNotExist)
	}
	if device, ok := openDevice(hc, full); ok {
		if device == nil {
			return nil, refusal(name, fs.ErrNotExist)
		}
		return device, nil
	}
	f, err := os.OpenFile(full, flag, perm)
	if err != nil {
		return nil, refusal(name, err)
	}
	return f, nil
}

// refusal returns an error with the wording of bash, in the type that the interpreter prints.
func refusal(name string, err error) *os.PathError {
	return &os.PathError{Op: "bash:", Path: name, Err: errors.New(command.Message(err))}
}

// device is a stream of the shell that a script can open as a file. Closing the device does not
// close the stream.
type device struct {
	io.Reader
	io.Writer
}

func (device) Close() error { return nil }

// openDevice returns the device of this name. ok is true for all names in /dev. d is nil if the
// device does not exist.
func openDevice(hc interp.HandlerContext, name string) (d io.ReadWriteCloser, ok bool) {
	stdin := hc.Stdin
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	none := strings.NewReader("")
	switch name {
	case "/dev/null", "/dev/tty":
		return device{none, io.Discard}, true
	case "/dev/zero":
		return device{zeros{}, io.Discard}, true
	case "/dev/stdin", "/dev/fd/0":
		return device{stdin, io.Discard}, true
	case "/dev/stdout", "/dev/fd/1":
		return device{none, hc.Stdout}, true
	case "/dev/stderr", "/dev/fd/2":
		return device{none, hc.Stderr}, true
	}
	return nil, name == "/dev" || strings.HasPrefix(name, "/dev/")
}

// zeros is an endless stream of zero bytes, for /dev/zero.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// readDir lists a directory for patterns such as *.go.
func (s *shell) readDir(_ context.Context, name string) ([]fs.DirEntry, error) {
	return os.ReadDir(command.Path("/", name))
}

// stat describes a file for tests such as [ -f name ].
func (s *shell) stat(ctx context.Context, name string, follow bool) (fs.FileInfo, error) {
	if d, ok := openDevice(interp.HandlerCtx(ctx), path.Clean(name)); ok && d != nil {
		return deviceInfo(path.Base(name)), nil
	}
	if follow {
		return os.Stat(name)
	}
	return os.Lstat(name)
}

// deviceInfo describes a device by its name.
type deviceInfo string

func (d deviceInfo) Name() string     { return string(d) }
func (deviceInfo) Size() int64        { return 0 }
func (deviceInfo) Mode() fs.FileMode  { return fs.ModeDevice | fs.ModeCharDevice | 0o666 }
func (deviceInfo) ModTime() time.Time { return time.Time{} }
func (deviceInfo) IsDir() bool        { return false }
func (deviceInfo) Sys() any           { return nil }

// access implements [ -r name ], [ -w name ] and [ -x name ]. WASI has no permission bits, so a
// file is executable if its first line names an interpreter.
func (s *shell) access(ctx context.Context, name string, mode interp.AccessMode) error {
	info, err := s.stat(ctx, name, true)
	if err != nil {
		return err
	}
	bits := info.Mode().Perm()
	switch {
	case mode&interp.AccessExec != 0 && !info.IsDir() && bits&0o111 == 0 && !hasInterpreter(name),
		mode&interp.AccessRead != 0 && bits&0o444 == 0,
		mode&interp.AccessWrite != 0 && bits&0o222 == 0:
		return fs.ErrPermission
	}
	return nil
}

// hasInterpreter reports whether a file begins with #!.
func hasInterpreter(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var mark [2]byte
	_, err = io.ReadFull(f, mark[:])
	return err == nil && string(mark[:]) == "#!"
}
