// Package source reads the input of a tool from an argument or from a file of the workspace.
package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// Max limits the size of the input, in bytes.
const Max = 4 << 20

// Read returns inline, or the content of the file filePath. inline is the value of the parameter
// text, and filePath the value of file_path; exactly one must be given. Read drops a byte order
// mark in both, and decodes a file in UTF-16 if its mark indicates it. Input that is not valid
// UTF-8 or exceeds Max bytes is an error.
func Read(fsys fs.FS, inline, filePath string) (string, error) {
	switch {
	case inline != "" && filePath != "":
		return "", errors.New(`the arguments "text" and "file_path" are both given; omit one`)
	case inline == "" && filePath == "":
		return "", errors.New("there is nothing to read; give text or file_path")
	case len(inline) > Max:
		return "", fmt.Errorf(`the argument "text" has %d bytes; the limit is %d`, len(inline), Max)
	case inline != "":
		return strings.TrimPrefix(inline, "\ufeff"), nil
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
		return "", fmt.Errorf("%s: %s is larger than %d bytes, the limit", param, workspace.Display(name), Max)
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
