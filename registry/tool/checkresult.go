package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/registry/tool/media"
)

// Limits of a result, in addition to the limit on a call's output.
const (
	// MaxBlocks limits the number of blocks in content and attachments together.
	MaxBlocks = 1000
	// MaxMetadata limits the JSON of Metadata, in bytes.
	MaxMetadata = 64 << 10
	maxTitle    = 1 << 10 // in bytes
	maxWarnings = 50
	maxWarning  = 4 << 10 // in bytes
)

// Check reports whether a result is valid. Texts must be UTF-8, Structured must be JSON, Warnings
// must be short, and Metadata must encode as JSON. Images and audio must be complete files of their
// type (see package media). The registry checks every result before it returns it. The error is an
// *[Error] with the code invalid_output, and names the block. Check takes time linear in the size
// of the result.
func (r Result) Check() error {
	switch {
	case len(r.Content)+len(r.Attachments) > MaxBlocks:
		return invalidOutput("the result has %d blocks; the limit is %d", len(r.Content)+len(r.Attachments), MaxBlocks)
	case len(r.Title) > maxTitle || !utf8.ValidString(r.Title):
		return invalidOutput("the title must be UTF-8 of at most %d bytes", maxTitle)
	case len(r.Warnings) > maxWarnings:
		return invalidOutput("the result has %d warnings; the limit is %d", len(r.Warnings), maxWarnings)
	case len(r.Structured) > 0 && !json.Valid(r.Structured):
		return invalidOutput("the structured result is not JSON")
	}
	for i, warning := range r.Warnings {
		if len(warning) > maxWarning || !utf8.ValidString(warning) {
			return invalidOutput("warnings[%d] must be UTF-8 of at most %d bytes", i, maxWarning)
		}
	}
	if size, ok := plainSize(r.Metadata); !ok || size > MaxMetadata {
		text, err := json.Marshal(r.Metadata)
		if err != nil || len(text) > MaxMetadata {
			return invalidOutput("the metadata must be JSON of at most %d bytes", MaxMetadata)
		}
	}
	if err := checkBlocks("content", r.Content); err != nil {
		return err
	}
	return checkBlocks("attachments", r.Attachments)
}

// Size returns roughly how much memory the result uses, in bytes. It ignores the parts that Check
// limits to small sizes.
func (r Result) Size() int {
	n := len(r.Structured)
	for _, warning := range r.Warnings {
		n += len(warning)
	}
	for _, blocks := range [...][]Content{r.Content, r.Attachments} {
		for _, c := range blocks {
			n += len(c.Text) + len(c.Data)
			if r := c.Resource; r != nil {
				n += len(r.URI) + len(r.Name) + len(r.Title) + len(r.Description) + len(r.MIMEType) + len(r.Text) + len(r.Blob)
			}
		}
	}
	return n
}

// plainSize returns an upper bound for the size of metadata as JSON, in bytes, without encoding
// it. ok is false if metadata has values other than strings, integers, booleans and nil.
func plainSize(metadata map[string]any) (size int, ok bool) {
	const (
		escaped = 6  // max bytes of an escaped character
		number  = 24 // max bytes of a number and the punctuation of its field
	)
	for name, value := range metadata {
		size += escaped*len(name) + number
		switch v := value.(type) {
		case string:
			size += escaped * len(v)
		case json.Number:
			if n, err := strconv.ParseInt(string(v), 10, 64); err != nil || strconv.FormatInt(n, 10) != string(v) {
				return 0, false
			}
		case nil, bool, int, int64:
		default:
			return 0, false
		}
	}
	return size + number, true
}

func checkBlocks(name string, blocks []Content) error {
	for i, c := range blocks {
		if err := c.Check(); err != nil {
			return invalidOutput("%s[%d]: %v", name, i, err)
		}
	}
	return nil
}

// Check returns an error if the block is invalid: a field is missing or not UTF-8, or the data is
// not a complete file of its type.
func (c Content) Check() error {
	switch c.Type {
	case ContentText:
		return checkText(c.Text)
	case ContentImage, ContentAudio:
		_, err := checkMedia(c)
		return err
	case ContentResource, ContentResourceLink:
		r := c.Resource
		if r == nil || r.URI == "" || c.Type == ContentResourceLink && r.Name == "" {
			return errors.New("a resource needs a uri, and a link also needs a name")
		}
		return errors.Join(checkText(r.URI), checkText(r.Name), checkText(r.Title), checkText(r.Description), checkText(r.Text))
	}
	return fmt.Errorf("the block has the unknown type %q", c.Type)
}

func checkText(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("the text is not valid UTF-8")
	}
	return nil
}

func checkMedia(c Content) (media.Info, error) {
	if c.Type == ContentAudio {
		return media.Audio(c.Data, c.MIMEType)
	}
	return media.Image(c.Data, c.MIMEType)
}

func invalidOutput(format string, args ...any) error {
	return &Error{Code: CodeInvalidOutput, Message: fmt.Sprintf(format, args...)}
}
