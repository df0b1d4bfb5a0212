package guest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// Result is the output of a tool that returns more than one string or JSON value. The zero value
// is an empty result.
type Result struct {
	// Content are the content blocks, in order. If there are none, clients that read text get the
	// JSON of Structured.
	Content []Content
	// Structured is the result for programs, written as JSON; nil means none. It must match the
	// [result] schema of the manifest, if there is one.
	Structured any
	// IsError reports that the tool failed; Content then says why.
	IsError bool
	// Title is a short line for people, such as "Found 3 files". It may be empty.
	Title string
	// Metadata holds additional values for programs, written as JSON of at most 64 KiB.
	Metadata map[string]any
}

// Failf returns a Result that reports a failed call. Its message is formatted as by fmt.Sprintf.
// Unlike a returned error, the Result can have further content.
func Failf(format string, args ...any) Result {
	return Result{Content: []Content{Text(fmt.Sprintf(format, args...))}, IsError: true}
}

// MarshalJSON writes the result as the ABI specifies. It returns an error for a block that the
// host would reject.
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

// size returns the approximate length of the result's JSON, in bytes.
func (r Result) size() int {
	size := 256 + len(r.Title)
	for _, c := range r.Content {
		size += 128 + len(c.Text) + len(c.Text)/16 + base64.StdEncoding.EncodedLen(len(c.Data))
	}
	return size
}

// ContentType is the type of a content block.
type ContentType string

// The types of content blocks.
const (
	ContentText     ContentType = "text"
	ContentImage    ContentType = "image"
	ContentAudio    ContentType = "audio"
	ContentResource ContentType = "resource"
)

// Content is one block of a [Result]. Create it with [Text], [Image], [Audio] or [Resource]; the
// zero value is invalid.
type Content struct {
	Type ContentType
	// Text is the text of a text block, or of a resource without Data, in UTF-8.
	Text string
	// Data is the content of an image, audio or resource file; it must not be empty.
	Data []byte
	// MIMEType is the type of Data, such as "image/png".
	MIMEType string
	// URI names a resource. It must be absolute, such as "note:today", and must not use the
	// scheme file.
	URI string
}

// Text returns a text block.
func Text(text string) Content { return Content{Type: ContentText, Text: text} }

// Image returns an image block. data is the content of a PNG, JPEG, GIF or WebP file, and mimeType
// must match the file. The block refers to data and does not copy it.
func Image(data []byte, mimeType string) Content {
	return Content{Type: ContentImage, Data: data, MIMEType: mimeType}
}

// Audio returns an audio block. data is the content of a WAV, MP3, OGG, FLAC or MP4 file, and
// mimeType must match the file. The block refers to data and does not copy it.
func Audio(data []byte, mimeType string) Content {
	return Content{Type: ContentAudio, Data: data, MIMEType: mimeType}
}

// Resource returns a block with a URI and either a text or, if data is not nil, a file of any type.
// The block refers to data and does not copy it.
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
			return nil, fmt.Errorf("a block of type %s needs data and a MIME type that starts with %s/", c.Type, c.Type)
		}
		b = appendText(append(b, `{"type":`...), string(c.Type))
		b = appendData(append(b, `,"data":`...), c.Data)
		b = appendText(append(b, `,"mimeType":`...), c.MIMEType)
	case ContentResource:
		if c.URI == "" || c.Text != "" && c.Data != nil {
			return nil, errors.New("a resource needs a URI, and either text or data")
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
		return nil, fmt.Errorf("unknown block type %q; use Text, Image, Audio or Resource", c.Type)
	}
	return append(b, '}'), nil
}

// appendData appends bytes as a JSON string in Base64.
func appendData(b, data []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(b, '"'), data), '"')
}
