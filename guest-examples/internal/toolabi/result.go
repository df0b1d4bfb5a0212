package toolabi

import (
	"fmt"
	"io"

	"github.com/wasmtool/wasmtool/guest"
)

// WriteResult writes a whole result, for a tool whose manifest has output =
// "result": blocks, a title for people and metadata for programs. The text of
// the blocks has to be complete without the others.
func WriteResult(out io.Writer, result guest.Result) error {
	encoded, err := result.MarshalJSON() // which package json would check and copy once more
	if err != nil {
		return fmt.Errorf("the result can't be encoded: %w", err)
	}
	_, err = out.Write(encoded)
	return err
}

// TextResult returns a result of one text.
func TextResult(title, text string, metadata map[string]any) guest.Result {
	return guest.Result{Content: []guest.Content{guest.Text(text)}, Title: title, Metadata: metadata}
}
