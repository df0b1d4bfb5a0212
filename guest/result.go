package guest

import (
	"errors"
	"fmt"
	"strings"
)

// Result is the output of a tool that gives more than one text or JSON value. The
// zero value is an empty answer.
type Result struct {
	// Content are the blocks of the answer, in order. If there are none, readers of
	// text get the JSON of Structured.
	Content []Content
	// Structured is the answer for programs, written as JSON; nil means none. It
	// must fit the [result] schema of the manifest, if there is one.
	Structured any
	// IsError tells that the tool failed and Content says why.
	IsError bool
}

// Failf returns a Result that fails the call with a text, formatted as by
// fmt.Sprintf. Unlike a returned error it may have more content added.
func Failf(format string, args ...any) Result {
	return Result{Content: []Content{Text(fmt.Sprintf(format, args...))}, IsError: true}
}

// MarshalJSON writes the form that the ABI has for results. It fails for a block
// that the host would not take.
func (r Result) MarshalJSON() ([]byte, error) {
	content := make([]any, len(r.Content)) // a list even if it is empty
	for i, c := range r.Content {
		var err error
		if content[i], err = c.wire(); err != nil {
			return nil, fmt.Errorf("content[%d]: %w", i, err)
		}
	}
	return marshal(struct {
		Content    []any `json:"content"`
		Structured any   `json:"structured,omitempty"`
		IsError    bool  `json:"is_error,omitempty"`
	}{content, r.Structured, r.IsError})
}

// ContentType is the kind of a content block.
type ContentType string

// The kinds of content blocks.
const (
	ContentText  ContentType = "text"
	ContentImage ContentType = "image"
)

// Content is one block of a Result. Text and Image make one; the zero value is none.
type Content struct {
	Type ContentType
	// Text is the text of a text block, UTF-8.
	Text string
	// Data is the file of an image block, not empty.
	Data []byte
	// MIMEType is the type of Data, such as "image/png".
	MIMEType string
}

// Text returns a text block.
func Text(text string) Content { return Content{Type: ContentText, Text: text} }

// Image returns an image block: the bytes of a file and its type, which must start
// with "image/". It keeps data.
func Image(data []byte, mimeType string) Content {
	return Content{Type: ContentImage, Data: data, MIMEType: mimeType}
}

// wire returns what encoding/json writes for the block.
func (c Content) wire() (any, error) {
	switch c.Type {
	case ContentText:
		return struct {
			Type ContentType `json:"type"`
			Text string      `json:"text"`
		}{c.Type, c.Text}, nil
	case ContentImage:
		if len(c.Data) == 0 || !strings.HasPrefix(c.MIMEType, "image/") {
			return nil, errors.New("an image needs data and a MIME type that starts with image/")
		}
		return struct {
			Type     ContentType `json:"type"`
			Data     []byte      `json:"data"`
			MIMEType string      `json:"mimeType"`
		}{c.Type, c.Data, c.MIMEType}, nil
	}
	return nil, fmt.Errorf("the type %q is none of text and image; use Text or Image", c.Type)
}
