package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// ParseResult reads the JSON of a whole Result, as a guest or a client writes it:
//
//	{"content": [...], "structured": ..., "is_error": false, "title": "...",
//	 "metadata": {...}, "attachments": [...], "warnings": ["..."]}
//
// Either of content and structured may be left out, and so may all the others. A field
// that it does not know is a fault, so that a slip does not lose half an answer. Whether
// the blocks hold what they say is for Result.Check to tell.
func ParseResult(raw []byte) (Result, error) {
	fields, err := object(raw, "content", "structured", "is_error", "title", "metadata", "attachments", "warnings")
	if err != nil {
		return Result{}, err
	}
	var result Result
	var content, attachments []json.RawMessage
	err = errors.Join(
		field(fields, "content", &content), field(fields, "is_error", &result.IsError), field(fields, "title", &result.Title),
		field(fields, "metadata", &result.Metadata), field(fields, "attachments", &attachments), field(fields, "warnings", &result.Warnings))
	if err != nil {
		return Result{}, err
	}
	if structured := fields["structured"]; !bytes.Equal(structured, []byte("null")) {
		result.Structured = structured
	}
	if content == nil && result.Structured == nil {
		return Result{}, errors.New("it has neither content nor structured")
	}
	if result.Content, err = parseBlocks("content", content); err != nil {
		return Result{}, err
	}
	if result.Attachments, err = parseBlocks("attachments", attachments); err != nil {
		return Result{}, err
	}
	if len(result.Content) == 0 {
		// A reader of text alone must see the whole answer too.
		result.Content = []Content{TextContent(string(result.Structured))}
	}
	return result, nil
}

func parseBlocks(name string, raw []json.RawMessage) ([]Content, error) {
	var blocks []Content
	for i, one := range raw {
		block, err := ParseContent(one)
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", name, i, err)
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// ParseContent reads the JSON of one block. It takes the form that MarshalJSON writes and
// nothing else.
func ParseContent(raw []byte) (Content, error) {
	var head struct {
		Type ContentType `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return Content{}, errors.New("it is no JSON object with a type")
	}
	known, ok := contentFields[head.Type]
	if !ok {
		return Content{}, fmt.Errorf("the type %q is none of text, image, audio, resource and resource_link", head.Type)
	}
	fields, err := object(raw, known...)
	if err != nil {
		return Content{}, err
	}
	var w wireContent
	if err := errors.Join(
		field(fields, "text", &w.Text), field(fields, "data", &w.Data), field(fields, "mimeType", &w.MIMEType),
		field(fields, "uri", &w.URI), field(fields, "name", &w.Name), field(fields, "title", &w.Title),
		field(fields, "description", &w.Description), field(fields, "size", &w.Size)); err != nil {
		return Content{}, err
	}
	switch head.Type {
	case ContentText:
		if w.Text == nil {
			return Content{}, errors.New("a text block needs text")
		}
		return TextContent(*w.Text), nil
	case ContentImage, ContentAudio:
		if w.Data == nil || w.MIMEType == "" {
			return Content{}, fmt.Errorf("a block of the type %s needs data in base64 and a mimeType", head.Type)
		}
		return Content{Type: head.Type, Data: *w.Data, MIMEType: w.MIMEType}, nil
	case ContentResource:
		return parseResource(fields["resource"])
	}
	if err := checkURI(w.URI); err != nil {
		return Content{}, err
	}
	if w.Name == "" {
		return Content{}, errors.New("a resource_link needs a name")
	}
	return LinkContent(Resource{
		URI: w.URI, MIMEType: w.MIMEType, Name: w.Name, Title: w.Title, Description: w.Description, Size: max(w.Size, 0),
	}), nil
}

// contentFields are the fields of each kind of block.
var contentFields = map[ContentType][]string{
	ContentText:         {"type", "text"},
	ContentImage:        {"type", "data", "mimeType"},
	ContentAudio:        {"type", "data", "mimeType"},
	ContentResource:     {"type", "resource"},
	ContentResourceLink: {"type", "uri", "name", "title", "description", "mimeType", "size"},
}

func parseResource(raw json.RawMessage) (Content, error) {
	fields, err := object(raw, "uri", "mimeType", "text", "blob")
	if err != nil {
		return Content{}, fmt.Errorf("resource: %w", err)
	}
	var w wireResource
	if err := errors.Join(
		field(fields, "uri", &w.URI), field(fields, "mimeType", &w.MIMEType),
		field(fields, "text", &w.Text), field(fields, "blob", &w.Blob)); err != nil {
		return Content{}, fmt.Errorf("resource: %w", err)
	}
	if err := checkURI(w.URI); err != nil {
		return Content{}, fmt.Errorf("resource: %w", err)
	}
	r := Resource{URI: w.URI, MIMEType: w.MIMEType}
	switch {
	case (w.Text == nil) == (w.Blob == nil):
		return Content{}, errors.New("resource: it needs either text or blob")
	case w.Text != nil:
		r.Text = *w.Text
	default:
		r.Blob = append([]byte{}, *w.Blob...) // not nil, even when it is empty
	}
	return ResourceContent(r), nil
}

// maxURI bounds the name of a resource, in bytes.
const maxURI = 2048

// checkURI refuses what is no name of a resource. A client may open what a link names, so
// that a file of the host is not for a tool to point at.
func checkURI(uri string) error {
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Scheme == "" || len(uri) > maxURI:
		return fmt.Errorf("the uri must be absolute, such as \"https://host/path\", and at most %d bytes long", maxURI)
	case strings.EqualFold(u.Scheme, "file"):
		return errors.New("the uri may not be one of file:, which would name a file of the host; embed the contents or give a path in metadata")
	}
	return nil
}

// object splits a JSON object into its fields. Names are exact, which the decoder
// of structs would not insist on.
func object(raw []byte, known ...string) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return nil, errors.New("it is no JSON object")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown field %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return fields, nil
}

// field decodes one field when it is there. Numbers of what has no type stay exact.
func field(fields map[string]json.RawMessage, name string, into any) error {
	raw, ok := fields[name]
	if !ok {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s does not hold what it should", name)
	}
	return nil
}
