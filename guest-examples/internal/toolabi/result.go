package toolabi

import (
	"fmt"
	"io"

	"github.com/wasmtool/wasmtool/guest"
)

// WriteResult writes a result with content blocks, a title for people and metadata for programs.
// The manifest of the tool must have output = "result" or "details". A model may see only the text
// of the blocks, which must therefore be complete.
func WriteResult(out io.Writer, result guest.Result) error {
	encoded, err := result.MarshalJSON() // package json would also check and copy the result
	if err != nil {
		return fmt.Errorf("the result can't be encoded: %w", err)
	}
	_, err = out.Write(encoded)
	return err
}

// DetailedResult returns a result with a single text block, and with details for programs. The
// manifest of the tool must have output = "details", and the details must match its [result].
func DetailedResult(title, text string, metadata, details map[string]any) guest.Result {
	result := TextResult(title, text, metadata)
	result.Structured = details
	return result
}

// TextResult returns a result with a single text block.
func TextResult(title, text string, metadata map[string]any) guest.Result {
	return guest.Result{Content: []guest.Content{guest.Text(text)}, Title: title, Metadata: metadata}
}
