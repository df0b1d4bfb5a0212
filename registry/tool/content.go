package tool

import "encoding/json"

// ContentType is the kind of a content block.
type ContentType string

// The kinds of content blocks. They are those of the Model Context Protocol, and so is
// their JSON.
const (
	// ContentText is a text: Content.Text.
	ContentText ContentType = "text"
	// ContentImage is the file of an image: Content.Data and MIMEType.
	ContentImage ContentType = "image"
	// ContentAudio is the file of a sound: Content.Data and MIMEType.
	ContentAudio ContentType = "audio"
	// ContentResource is a named text or file: Content.Resource with its Text or Blob.
	ContentResource ContentType = "resource"
	// ContentResourceLink says where something is: Content.Resource without its contents.
	ContentResourceLink ContentType = "resource_link"
)

// Content is one block of a result. The functions TextContent to LinkContent make one;
// the zero value is none.
type Content struct {
	Type ContentType
	// Text is the text of a text block, UTF-8.
	Text string
	// Data is the whole file of an image or a sound.
	Data []byte
	// MIMEType is the type of Data, such as "image/png".
	MIMEType string
	// Resource is that of the two resource blocks.
	Resource *Resource
}

// Resource is something with a name, either with its contents or only said where it is.
type Resource struct {
	// URI names it; it is absolute, and the tool's word: nobody looked whether it exists.
	URI string
	// MIMEType is the type of its contents; empty when it is not known.
	MIMEType string
	// Text or Blob are the contents of an embedded resource: Blob when it is not nil.
	Text string
	Blob []byte
	// Name, Title, Description and Size, in bytes, are those of a link. Name is required
	// there, and a Size of 0 is not known.
	Name, Title, Description string
	Size                     int64
}

// TextContent returns a text block.
func TextContent(text string) Content { return Content{Type: ContentText, Text: text} }

// ImageContent returns an image block: the bytes of a PNG, JPEG, GIF or WebP file and the
// type that says so. It keeps data.
func ImageContent(data []byte, mimeType string) Content {
	return Content{Type: ContentImage, Data: data, MIMEType: mimeType}
}

// AudioContent returns a sound: the bytes of a WAV, MP3, OGG, FLAC or MP4 file and the
// type that says so. It keeps data.
func AudioContent(data []byte, mimeType string) Content {
	return Content{Type: ContentAudio, Data: data, MIMEType: mimeType}
}

// ResourceContent returns a resource with its contents.
func ResourceContent(r Resource) Content { return Content{Type: ContentResource, Resource: &r} }

// LinkContent returns a resource without its contents.
func LinkContent(r Resource) Content { return Content{Type: ContentResourceLink, Resource: &r} }

// wireContent is the JSON of a block. A pointer is written also when it is empty: a text
// block always has a text.
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

// MarshalJSON writes the block as the Model Context Protocol has it.
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

// UnmarshalJSON reads a block as ParseContent does.
func (c *Content) UnmarshalJSON(raw []byte) error {
	parsed, err := ParseContent(raw)
	if err == nil {
		*c = parsed
	}
	return err
}
