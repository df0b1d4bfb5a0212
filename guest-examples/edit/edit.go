// Package edit is the built-in tool edit: a text of a file replaced by another,
// with everything else of the file kept to the byte.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest-examples/write"
)

// MaxSize is the greatest size in bytes of a file before and after.
const MaxSize = 10 << 20

// Args are the arguments of edit.
type Args struct {
	// FilePath is relative to the workspace or absolute under /workspace.
	FilePath string `json:"file_path"`
	// OldString is the text to replace. It stands for itself; only a line feed
	// in it stands for a carriage return with a line feed too, unless it has
	// carriage returns of its own. "" creates a file.
	OldString string `json:"old_string"`
	// NewString is the text to put in its place. It stands for itself; only
	// its line feeds become the line ends of the place, unless OldString has
	// carriage returns.
	NewString string `json:"new_string"`
	// ReplaceAll replaces OldString wherever it stands; otherwise it has to
	// stand in one place alone.
	ReplaceAll bool `json:"replace_all"`
}

// Run changes a file of dir and writes what was changed to out. The text of an
// error is written for a model; after one the file is as it was.
func Run(dir workspace.Dir, args Args, out io.Writer) error {
	if args.OldString == args.NewString {
		return errors.New("new_string is the same as old_string; there is nothing to change")
	}
	name, info, err := dir.Target("file_path", args.FilePath)
	if err != nil {
		return err
	}
	if args.OldString == "" {
		if info != nil {
			return fmt.Errorf("old_string is empty, which creates a file, and %s exists; give the text to replace, or use write to replace the whole file", workspace.Display(name))
		}
		return write.Create(dir, name, args.NewString, out)
	}
	if info == nil {
		return workspace.Explain(dir.FS, "file_path", name, fs.ErrNotExist)
	}
	data, err := load(dir, name, info.Size())
	if err != nil {
		return err
	}
	changed, report, err := apply(data, workspace.Display(name), args)
	if err != nil {
		return err
	}
	if _, err := dir.Write("file_path", name, info, changed); err != nil {
		return err
	}
	_, err = out.Write(report)
	return err
}

// load reads the file, which has about so many bytes.
func load(dir workspace.Dir, name string, size int64) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, workspace.Explain(dir.FS, "file_path", name, err)
	}
	defer f.Close()
	var data bytes.Buffer
	data.Grow(int(min(size, MaxSize)) + bytes.MinRead)
	if _, err := data.ReadFrom(io.LimitReader(f, MaxSize+1)); err != nil {
		return nil, workspace.Explain(dir.FS, "file_path", name, err)
	}
	if data.Len() > MaxSize {
		return nil, fmt.Errorf("file_path: %s has more than the %d bytes that edit takes", workspace.Display(name), MaxSize)
	}
	return data.Bytes(), nil
}
