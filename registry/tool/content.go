package tool

import "encoding/json"

// ContentType is the kind of a content block.
type ContentType string

// The kinds of content blocks, which have the names and the JSON of the Model Context Protocol.
const (
	// ContentText is text, in Content.Text.
	ContentText ContentType = "text"
	// ContentImage is an image file, in Content.Data, with its MIMEType.
	ContentImage ContentType = "image"
	// ContentAudio is an audio file, in Content.Data, with its MIMEType.
	ContentAudio ContentType = "audio"
	// ContentResource is an embedded resource: Content.Resource with its Text or Blob.
	ContentResource ContentType = "resource"
	// ContentResourceLink is a link to a resource: Content.Resource without its contents.
	ContentResourceLink ContentType = "resource_link"
)

// Content is one block of a [Result]. [TextContent], [ImageContent], [AudioContent],
// [ResourceContent] and [LinkContent] create blocks. The zero value is invalid.
type Content struct {
	Type ContentType
	// Text is the text of a text block, in UTF-8.
	Text string
	// Data is the complete image or audio file.
	Data []byte
	// MIMEType is the type of Data, such as "image/png".
	MIMEType string
	// Resource is set for embedded resources and links.
	Resource *Resource
}

// Resource is an embedded resource, or a link to a resource.
type Resource struct {
	// URI is absolute. The tool provides it, and nothing checks whether the resource exists.
	URI string
	// MIMEType is the type of the contents; empty means unknown.
	MIMEType string
	// Text and Blob are the contents of an embedded resource. If Blob is nil, Text is the content.
	Text string
	Blob []byte
	// Name, Title, Description and Size describe a link. A link must have a Name. Size is in
	// bytes; 0 means unknown.
	Name, Title, Description string
	Size                     int64
}

// TextContent returns a text block.
func TextContent(text string) Content { return Content{Type: ContentText, Text: text} }

// ImageContent returns an image block. data is a PNG, JPEG, GIF or WebP file, and mimeType is its
// type. ImageContent does not copy data.
func ImageContent(data []byte, mimeType string) Content {
	return Content{Type: ContentImage, Data: data, MIMEType: mimeType}
}

// AudioContent returns an audio block. data is a WAV, MP3, OGG, FLAC or MP4 file, and mimeType is
// its type. AudioContent does not copy data.
func AudioContent(data []byte, mimeType string) Content {
	return Content{Type: ContentAudio, Data: data, MIMEType: mimeType}
}

// ResourceContent returns a block with an embedded resource.
func ResourceContent(r Resource) Content { return Content{Type: ContentResource, Resource: &r} }

// LinkContent returns a block with a link to a resource.
func LinkContent(r Resource) Content { return Content{Type: ContentResourceLink, Resource: &r} }

// wireContent is the JSON of a block. The pointers distinguish an empty value, which is written,
// from an absent value: a text block always has a text.
type wireContent struct {
	Type ContentType `json:"type"`
	Text *string     `json:"text,omitempty"`
	Data *[]byte     `json:"data,omitempty"`

	URI         string `json:"uri,omitempty"`
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
	Size        int64  `json:"size,omitempty"`

	Resource *wireResource `json:"resource,omitempty"`
}

type wireResource struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     *[]byte `json:"blob,omitempty"`
}

// MarshalJSON writes the block in the form of the Model Context Protocol.
func (c Content) MarshalJSON() ([]byte, error) {
	w := wireContent{Type: c.Type}
	r := c.Resource
	if r == nil {
		r = &Resource{}
	}
	switch c.Type {
	case ContentImage, ContentAudio:
		w.Data, w.MIMEType = &c.Data, c.MIMEType
	case ContentResource:
		w.Resource = &wireResource{URI: r.URI, MIMEType: r.MIMEType}
		if r.Blob != nil {
			w.Resource.Blob = &r.Blob
		} else {
			w.Resource.Text = &r.Text
		}
	case ContentResourceLink:
		w.URI, w.Name, w.Title, w.Description = r.URI, r.Name, r.Title, r.Description
		w.MIMEType, w.Size = r.MIMEType, r.Size
	default:
		w.Text = &c.Text
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads a block with [ParseContent].
func (c *Content) UnmarshalJSON(raw []byte) error {
	parsed, err := ParseContent(raw)
	if err == nil {
		*c = parsed
	}
	return err
}
