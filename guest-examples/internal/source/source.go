// Package source gets the text that a tool works on: an argument, or a file of
// the workspace.
package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// Max is how many bytes a text may have.
const Max = 4 << 20

// Read returns inline, the value of the parameter text, or the text of the file
// filePath, the value of file_path; one of them must be given and the other
// empty. A byte order mark is dropped and UTF-16 with one decoded; what is not
// UTF-8 then is an error, as is a text of more than Max bytes.
func Read(fsys fs.FS, inline, filePath string) (string, error) {
	switch {
	case inline != "" && filePath != "":
		return "", errors.New("text and file_path are both given; leave one out")
	case inline == "" && filePath == "":
		return "", errors.New("there is nothing to read; give text or file_path")
	case len(inline) > Max:
		return "", fmt.Errorf("text has %d bytes; the most is %d", len(inline), Max)
	case inline != "":
		return inline, nil
	}
	const param = "file_path"
	name, f, err := workspace.OpenFile(fsys, param, filePath)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, Max+1))
	if err != nil {
		return "", workspace.Explain(fsys, param, name, err)
	}
	if len(data) > Max {
		return "", fmt.Errorf("%s: %s is larger than %d bytes, the most that is read", param, workspace.Display(name), Max)
	}
	document, err := text.ParseDocument(data)
	if err != nil {
		return "", fmt.Errorf("%s: %s is %w", param, workspace.Display(name), err)
	}
	if document.Unknown {
		return "", fmt.Errorf("%s: %s is not UTF-8; convert it first", param, workspace.Display(name))
	}
	return string(document.Text), nil
}
