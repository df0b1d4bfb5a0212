// Package write implements the built-in tool write, which writes a file.
package write

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/filehash"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest/files"
)

// Args are the arguments of write.
type Args struct {
	// FilePath is relative to the workspace or absolute under /workspace.
	FilePath string `json:"file_path"`
	// Content is the new content of the file, byte for byte.
	Content string `json:"content"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	return "Writing " + workspace.Display(a.FilePath), map[string]any{"path": a.FilePath}
}

// Run creates or overwrites a file of dir, creates missing directories, and writes a summary to
// out. It leaves a file with the same content unchanged. The message of an error is written for a
// model.
func Run(dir workspace.Dir, args Args, out io.Writer) error {
	name, was, err := dir.Target("file_path", args.FilePath)
	if err != nil {
		return err
	}
	if was == nil {
		return Create(dir, name, args.Content, out)
	}
	equal, err := holds(dir, name, was, args.Content)
	if err != nil {
		return workspace.Explain(dir, "file_path", name, err)
	}
	if equal {
		return report(out, "Unchanged", name, args.Content, fmt.Sprintf("unchanged: %s already has this content (%s)\n", workspace.Display(name), size(args.Content)))
	}
	if _, err := dir.Write("file_path", name, was, []byte(args.Content)); err != nil {
		return err
	}
	return report(out, "Overwrote", name, args.Content,
		fmt.Sprintf("overwrote %s: %s (before: %s)\n", workspace.Display(name), size(args.Content), toolabi.Quantity(was.Size, "byte")))
}

// Create creates the file name and its missing directories, and writes a summary to out. It fails
// if the file exists.
func Create(dir workspace.Dir, name, content string, out io.Writer) error {
	made, err := dir.Write("file_path", name, nil, []byte(content))
	if err != nil {
		return err
	}
	var directories strings.Builder
	for _, directory := range made {
		fmt.Fprintf(&directories, "created the directory %s/\n", workspace.Display(directory))
	}
	return report(out, "Created", name, content, fmt.Sprintf("%screated %s: %s\n", &directories, workspace.Display(name), size(content)))
}

// changes has the change that the details name for each verb of a title.
var changes = map[string]string{"Created": "created", "Overwrote": "overwritten", "Unchanged": "unchanged"}

// report writes the result of a call. name and content describe the written file, did is the verb
// of the title, and text describes the change.
func report(out io.Writer, did, name, content, text string) error {
	details := Details(name, changes[did], []byte(content))
	metadata := map[string]any{"path": name, "size": len(content)}
	if hash, ok := details["fileHash"]; ok {
		metadata["file_hash"] = hash
	}
	return toolabi.WriteResult(out, toolabi.DetailedResult(did+" "+workspace.Display(name), text, metadata, details))
}

// Details describes a written file and its new content, for programs.
func Details(name, change string, content []byte) map[string]any {
	details := map[string]any{"path": name, "change": change, "size": len(content), "lineCount": lineCount(content)}
	if len(content) <= filehash.MaxSize {
		details["fileHash"] = filehash.Of(content)
	}
	return details
}

// holds reports whether the file already has the content.
func holds(dir workspace.Dir, name string, was *files.Answer, content string) (bool, error) {
	if was.Size != int64(len(content)) {
		return false, nil
	}
	have, err := fs.ReadFile(dir, name)
	return string(have) == content, err
}

// size describes the size of the content.
func size(content string) string {
	return toolabi.Quantity(len(content), "byte") + ", " + toolabi.Quantity(lineCount([]byte(content)), "line")
}

// lineCount counts lines as the tool read numbers them.
func lineCount(content []byte) int {
	lines := bytes.Count(content, []byte("\n"))
	if len(content) > 0 && content[len(content)-1] != '\n' {
		lines++
	}
	return lines
}
