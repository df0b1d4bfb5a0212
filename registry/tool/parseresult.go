package tool

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/registry/tool/media"
)

// ParseResult reads the JSON of a complete [Result], as guests and clients write it:
//
//	{"content": [...], "structured": ..., "is_error": false, "title": "...",
//	 "metadata": {...}, "attachments": [...], "warnings": ["..."]}
//
// Either content or structured is required; all other fields are optional. An unknown field is
// an error, so that a misspelt name does not silently lose a part of the answer. [Result.Check]
// checks the content of the blocks.
func ParseResult(raw []byte) (Result, error) {
	doc, err := jsontree.Parse(raw, jsontree.Document("the document"))
	if err != nil {
		return Result{}, err
	}
	if err := checkObject(&doc, "content", "structured", "is_error", "title", "metadata", "attachments", "warnings"); err != nil {
		return Result{}, err
	}
	var result Result
	err = errors.Join(
		decode(&doc, "is_error", &result.IsError), text(&doc, "title", &result.Title),
		object(&doc, "metadata", &result.Metadata), decode(&doc, "warnings", &result.Warnings))
	if err != nil {
		return Result{}, err
	}
	if structured := doc.Member("structured"); !structured.IsNull() {
		result.Structured = structured.JSON()
	}
	content := doc.Member("content")
	if content.IsNull() && result.Structured == nil {
		return Result{}, errors.New("the result has neither content nor structured")
	}
	if result.Content, err = parseBlocks("content", content); err != nil {
		return Result{}, err
	}
	if result.Attachments, err = parseBlocks("attachments", doc.Member("attachments")); err != nil {
		return Result{}, err
	}
	if len(result.Content) == 0 {
		// Clients that show only text must also show the whole answer.
		result.Content = []Content{TextContent(string(result.Structured))}
	}
	return result, nil
}

func parseBlocks(name string, list *jsontree.Value) ([]Content, error) {
	if list.IsNull() {
		return nil, nil
	}
	if list.Kind != jsontree.Array {
		return nil, wrongField(name)
	}
	var blocks []Content
	for i := range list.Items {
		block, err := parseBlock(&list.Items[i])
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", name, i, err)
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// ParseContent reads the JSON of one block, in exactly the form that [Content.MarshalJSON]
// writes.
func ParseContent(raw []byte) (Content, error) {
	bounds := jsontree.Document("the document")
	bounds.Bytes = math.MaxInt // the caller has bounded raw
	block, err := jsontree.Parse(raw, bounds)
	if err != nil {
		return Content{}, err
	}
	return parseBlock(&block)
}

func parseBlock(block *jsontree.Value) (Content, error) {
	var name string
	if text(block, "type", &name) != nil || block.Member("type").IsNull() {
		return Content{}, errors.New(`a block must be a JSON object with a "type"`)
	}
	kind := ContentType(name)
	known, ok := contentFields[kind]
	if !ok {
		return Content{}, fmt.Errorf("unknown type %q; the types are text, image, audio, resource and resource_link", kind)
	}
	if err := checkObject(block, known...); err != nil {
		return Content{}, err
	}
	var w wireContent
	if err := errors.Join(
		optionalText(block, "text", &w.Text), decode(block, "data", &w.Data), text(block, "mimeType", &w.MIMEType),
		text(block, "uri", &w.URI), text(block, "name", &w.Name), text(block, "title", &w.Title),
		text(block, "description", &w.Description), decode(block, "size", &w.Size)); err != nil {
		return Content{}, err
	}
	switch kind {
	case ContentText:
		if w.Text == nil {
			return Content{}, errors.New("a text block needs text")
		}
		return TextContent(*w.Text), nil
	case ContentImage, ContentAudio:
		if w.Data == nil || w.MIMEType == "" {
			return Content{}, fmt.Errorf("a block of the type %s needs data in base64 and a mimeType", kind)
		}
		return Content{Type: kind, Data: media.Repair(*w.Data), MIMEType: w.MIMEType}, nil
	case ContentResource:
		return parseResource(block.Member("resource"))
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

// contentFields lists the fields of each kind of block.
var contentFields = map[ContentType][]string{
	ContentText:         {"type", "text"},
	ContentImage:        {"type", "data", "mimeType"},
	ContentAudio:        {"type", "data", "mimeType"},
	ContentResource:     {"type", "resource"},
	ContentResourceLink: {"type", "uri", "name", "title", "description", "mimeType", "size"},
}

func parseResource(resource *jsontree.Value) (Content, error) {
	if err := checkObject(resource, "uri", "mimeType", "text", "blob"); err != nil {
		return Content{}, fmt.Errorf("resource: %w", err)
	}
	var w wireResource
	if err := errors.Join(
		text(resource, "uri", &w.URI), text(resource, "mimeType", &w.MIMEType),
		optionalText(resource, "text", &w.Text), decode(resource, "blob", &w.Blob)); err != nil {
		return Content{}, fmt.Errorf("resource: %w", err)
	}
	if err := checkURI(w.URI); err != nil {
		return Content{}, fmt.Errorf("resource: %w", err)
	}
	r := Resource{URI: w.URI, MIMEType: w.MIMEType}
	switch {
	case (w.Text == nil) == (w.Blob == nil):
		return Content{}, errors.New("resource: either text or blob is required")
	case w.Text != nil:
		r.Text = *w.Text
	default:
		r.Blob = append([]byte{}, *w.Blob...) // not nil, even when it is empty
	}
	return ResourceContent(r), nil
}

// maxURI limits the length of a resource's URI, in bytes.
const maxURI = 2048

// checkURI refuses an invalid URI. It also refuses the scheme file:, because a client may open
// the target of a link, and a tool must not point at files of the host.
func checkURI(uri string) error {
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Scheme == "" || len(uri) > maxURI:
		return fmt.Errorf("the uri must be absolute, such as \"https://host/path\", and at most %d bytes long", maxURI)
	case strings.EqualFold(u.Scheme, "file"):
		return errors.New("the uri must not have the scheme file:, which names a file of the host; embed the contents or give a path in metadata")
	}
	return nil
}

// checkObject refuses a value that is not an object, and an object with unknown fields. Unlike
// encoding/json, it compares names exactly.
func checkObject(v *jsontree.Value, known ...string) error {
	if v == nil || v.Kind != jsontree.Object {
		return errors.New("not a JSON object")
	}
	for _, name := range v.Names() {
		if !slices.Contains(known, name) {
			return fmt.Errorf("unknown field %q; the fields are %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// text reads a string field, unless it is absent or null.
func text(object *jsontree.Value, name string, into *string) error {
	field := object.Member(name)
	switch {
	case field.IsNull():
		return nil
	case field.Kind != jsontree.String:
		return wrongField(name)
	}
	*into = field.Text()
	return nil
}

// optionalText is like text, but leaves *into nil if the field is absent or null.
func optionalText(object *jsontree.Value, name string, into **string) error {
	var s string
	if object.Member(name).IsNull() {
		return nil
	}
	*into = &s
	return text(object, name, &s)
}

// object reads an object field, unless it is absent or null.
func object(of *jsontree.Value, name string, into *map[string]any) error {
	field := of.Member(name)
	if field.IsNull() {
		return nil
	}
	var ok bool
	if *into, ok = field.Object(); !ok {
		return wrongField(name)
	}
	return nil
}

// decode reads a field of any other type, unless it is absent.
func decode(object *jsontree.Value, name string, into any) error {
	if field := object.Member(name); field != nil && field.Decode(into) != nil {
		return wrongField(name)
	}
	return nil
}

func wrongField(name string) error { return fmt.Errorf("%s has the wrong type", name) }
