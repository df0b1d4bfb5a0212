// Package edit implements the built-in tool edit, which replaces text in a file and keeps all
// other bytes of the file.
package edit

import (
	"errors"
	"fmt"
	"io"

	"github.com/wasmtool/wasmtool/guest-examples/internal/filehash"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest-examples/tools/write"
)

// MaxSize limits the size of a file before and after the edit, in bytes.
const MaxSize = filehash.MaxSize

// Args are the arguments of edit.
type Args struct {
	// FilePath is relative to the workspace or absolute under /workspace.
	FilePath string `json:"file_path"`
	// OldString, NewString and ReplaceAll are as in [Edit], except that an empty OldString
	// creates a file.
	OldString  string `json:"old_string"`
	NewString  string `json:"new_string"`
	ReplaceAll bool   `json:"replace_all"`
	// FileHash is the hash, as filehash.Of returns it, of the content that the caller has seen;
	// "" skips the check.
	FileHash string `json:"file_hash"`
}

// Run changes a file of dir and writes a summary of the changes to out. The text of an error is
// for a model; after an error the file is as before.
func Run(dir workspace.Dir, args Args, out io.Writer) error {
	if args.OldString == args.NewString {
		return errors.New("new_string is the same as old_string; there is nothing to change")
	}
	if args.OldString == "" {
		name, was, err := dir.Target("file_path", args.FilePath)
		if err != nil {
			return err
		}
		if was != nil {
			return fmt.Errorf("old_string is empty, which creates a file, but %s exists; give the text to replace, or use write to replace the whole file", workspace.Display(name))
		}
		return write.Create(dir, name, args.NewString, out)
	}
	edits := []Edit{{args.OldString, args.NewString, args.ReplaceAll}}
	return Change(dir, args.FilePath, args.FileHash, edits, func(int) string { return "" }, out)
}

// Change makes the edits in the file of dir that path names, and writes a summary to out. It
// reads the file once and writes it once. fileHash is as in Args; label is the name function of
// [Apply].
func Change(dir workspace.Dir, path, fileHash string, edits []Edit, label func(int) string, out io.Writer) error {
	name, was, data, err := dir.Read("file_path", path, MaxSize)
	if err != nil {
		return err
	}
	shown := workspace.Display(name)
	if err := filehash.Check(fileHash, shown, data); err != nil {
		return err
	}
	done, err := Apply(data, shown, edits, label)
	if err != nil {
		return err
	}
	if _, err := dir.Write("file_path", name, was, done.Content); err != nil {
		return err
	}
	return done.writeReport(name, len(edits), out)
}

// Rehearse is [Change] on data instead of a file.
func Rehearse(data []byte, edits []Edit, out io.Writer) error {
	done, err := Apply(data, "sample", edits, func(int) string { return "" })
	if err != nil {
		return err
	}
	return done.writeReport("sample", len(edits), out)
}

// writeReport writes a summary of the changes to the file name.
func (o Outcome) writeReport(name string, edits int, out io.Writer) error {
	shown := workspace.Display(name)
	metadata := map[string]any{"path": name, "replacements": o.Replacements, "file_hash": filehash.Of(o.Content)}
	return toolabi.WriteResult(out, toolabi.TextResult("Edited "+shown, string(o.Report(shown, edits)), metadata))
}
