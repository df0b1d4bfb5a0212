// Package edit implements the built-in tool edit, which replaces text in a file. All bytes that are
// not replaced stay the same.
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
	// FileHash is the hash of the content that the caller has seen, as filehash.Of returns it. ""
	// skips the check that the content is unchanged.
	FileHash string `json:"file_hash"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	return "Editing " + workspace.Display(a.FilePath), map[string]any{"path": a.FilePath}
}

// Run changes a file of dir and writes a summary of the changes to out. The message of an error is
// written for a model. After an error the file has its old content.
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
			return fmt.Errorf("an empty old_string creates a file, but %s exists; give the text to replace, or use write to replace the whole file", workspace.Display(name))
		}
		return write.Create(dir, name, args.NewString, out)
	}
	edits := []Edit{{args.OldString, args.NewString, args.ReplaceAll}}
	return Change(dir, args.FilePath, args.FileHash, edits, func(int) string { return "" }, out)
}

// Change makes the edits in the file at the given path in dir, and writes a summary to the writer
// out. It reads the file once and writes it once. fileHash is as in [Args]; label is the parameter
// name of [Apply].
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

// Rehearse does the same as [Change], but with data instead of a file.
func Rehearse(data []byte, edits []Edit, out io.Writer) error {
	done, err := Apply(data, "sample", edits, func(int) string { return "" })
	if err != nil {
		return err
	}
	return done.writeReport("sample", len(edits), out)
}

// writeReport writes a summary of the changes to the file name, to out.
func (o Outcome) writeReport(name string, edits int, out io.Writer) error {
	shown := workspace.Display(name)
	details := write.Details(name, "edited", o.Content)
	details["replacements"] = o.Replacements
	metadata := map[string]any{"path": name, "replacements": o.Replacements, "file_hash": details["fileHash"]}
	return toolabi.WriteResult(out, toolabi.DetailedResult("Edited "+shown, string(o.Report(shown, edits)), metadata, details))
}
