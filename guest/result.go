package guest

import (
	"encoding/base64"
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
	// Title is a short line for people, such as "Found 3 files"; may be empty.
	Title string
	// Metadata is what a program may want to know beside the answer, written as JSON: at
	// most 64 KiB.
	Metadata map[string]any
}

// Failf returns a Result that fails the call with a text, formatted as by
// fmt.Sprintf. Unlike a returned error it may have more content added.
func Failf(format string, args ...any) Result {
	return Result{Content: []Content{Text(fmt.Sprintf(format, args...))}, IsError: true}
}

// MarshalJSON writes the form that the ABI has for results. It fails for a block
// that the host would not take.
func (r Result) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, r.size()), `{"content":[`...)
	var err error
	for i, c := range r.Content {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = c.appendTo(b); err != nil {
			return nil, fmt.Errorf("content[%d]: %w", i, err)
		}
	}
	b = append(b, ']')
	if r.Structured != nil {
		if b, err = appendJSON(append(b, `,"structured":`...), r.Structured, 0); err != nil {
			return nil, err
		}
	}
	if r.IsError {
		b = append(b, `,"is_error":true`...)
	}
	if r.Title != "" {
		b = appendText(append(b, `,"title":`...), r.Title)
	}
	if len(r.Metadata) > 0 {
		if b, err = appendJSON(append(b, `,"metadata":`...), r.Metadata, 0); err != nil {
			return nil, err
		}
	}
	return append(b, "}\n"...), nil
}

// size is about how many bytes the result takes, as JSON.
func (r Result) size() int {
	size := 256 + len(r.Title)
	for _, c := range r.Content {
		size += 128 + len(c.Text) + len(c.Text)/16 + base64.StdEncoding.EncodedLen(len(c.Data))
	}
	return size
}

// ContentType is the kind of a content block.
type ContentType string

// The kinds of content blocks.
const (
	ContentText     ContentType = "text"
	ContentImage    ContentType = "image"
	ContentAudio    ContentType = "audio"
	ContentResource ContentType = "resource"
)

// Content is one block of a Result. Text, Image, Audio and Resource make one; the zero
// value is none.
type Content struct {
	Type ContentType
	// Text is the text of a text block, or of a resource without Data; UTF-8.
	Text string
	// Data is the whole file of an image, a sound or a resource, not empty.
	Data []byte
	// MIMEType is the type of Data, such as "image/png".
	MIMEType string
	// URI names a resource; it is absolute, such as "note:today", and none of file:.
	URI string
}

// Text returns a text block.
func Text(text string) Content { return Content{Type: ContentText, Text: text} }

// Image returns an image block: the bytes of a PNG, JPEG, GIF or WebP file and its type,
// which must be the right one. It keeps data.
func Image(data []byte, mimeType string) Content {
	return Content{Type: ContentImage, Data: data, MIMEType: mimeType}
}

// Audio returns a sound: the bytes of a WAV, MP3, OGG, FLAC or MP4 file and its type. It
// keeps data.
func Audio(data []byte, mimeType string) Content {
	return Content{Type: ContentAudio, Data: data, MIMEType: mimeType}
}

// Resource returns a named text, or, when data is not nil, a named file of any type. It
// keeps data.
func Resource(uri, mimeType, text string, data []byte) Content {
	return Content{Type: ContentResource, URI: uri, MIMEType: mimeType, Text: text, Data: data}
}

// appendTo appends the JSON of the block.
func (c Content) appendTo(b []byte) ([]byte, error) {
	switch c.Type {
	case ContentText:
		b = appendText(append(b, `{"type":"text","text":`...), c.Text)
	case ContentImage, ContentAudio:
		if len(c.Data) == 0 || !strings.HasPrefix(c.MIMEType, string(c.Type)+"/") {
			return nil, fmt.Errorf("a block of the type %s needs data and a MIME type that starts with %s/", c.Type, c.Type)
		}
		b = appendText(append(b, `{"type":`...), string(c.Type))
		b = appendData(append(b, `,"data":`...), c.Data)
		b = appendText(append(b, `,"mimeType":`...), c.MIMEType)
	case ContentResource:
		if c.URI == "" || c.Text != "" && c.Data != nil {
			return nil, errors.New("a resource needs a URI, and either a text or data")
		}
		b = appendText(append(b, `{"type":"resource","resource":{"uri":`...), c.URI)
		if c.MIMEType != "" {
			b = appendText(append(b, `,"mimeType":`...), c.MIMEType)
		}
		if len(c.Data) == 0 {
			b = appendText(append(b, `,"text":`...), c.Text)
		} else {
			b = appendData(append(b, `,"blob":`...), c.Data)
		}
		b = append(b, '}')
	default:
		return nil, fmt.Errorf("the type %q is none; use Text, Image, Audio or Resource", c.Type)
	}
	return append(b, '}'), nil
}

// appendData appends bytes as a JSON string of Base64.
func appendData(b, data []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(b, '"'), data), '"')
}
