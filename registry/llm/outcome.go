package llm

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/registry/tool"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// outcome is a result in the form that providers accept: a text that is never empty, and images.
// The text has the warnings of the result, and names the content that no provider accepts.
type outcome struct {
	text    string
	images  []tool.Content
	isError bool
}

func newOutcome(r tool.Result) outcome {
	o := outcome{isError: r.IsError}
	var notes []string
	for _, c := range r.Content {
		text, note := "", ""
		switch resource := c.Resource; {
		case c.Type == tool.ContentText:
			text = c.Text
		case c.Type == tool.ContentImage:
			o.images = append(o.images, c)
		case c.Type == tool.ContentAudio:
			note = fmt.Sprintf("(an audio file is left out: the type %q cannot be shown)", c.MIMEType)
		case resource == nil: // not a block of a checked result
		case c.Type == tool.ContentResourceLink:
			text = fmt.Sprintf("(link to %q: %s)", resource.Name, resource.URI)
		case resource.Blob == nil:
			text = fmt.Sprintf("(content of %s)\n%s", resource.URI, resource.Text)
		case strings.HasPrefix(resource.MIMEType, "image/"):
			o.images = append(o.images, tool.ImageContent(resource.Blob, resource.MIMEType))
		default:
			note = fmt.Sprintf("(the content of %s is left out: the type %q cannot be shown)", resource.URI, resource.MIMEType)
		}
		o.text = withLine(o.text, text)
		if note != "" {
			notes = append(notes, note)
		}
	}
	o.text = cmp.Or(o.text, string(r.Structured))
	for _, note := range notes {
		o.text = withLine(o.text, note)
	}
	switch {
	case o.text != "":
	case len(o.images) > 0:
		o.text = "(see the image)"
	case o.isError:
		o.text = "the call failed"
	default:
		o.text = "(no output)"
	}
	for _, warning := range r.Warnings {
		o.text = withLine(o.text, "note: "+warning)
	}
	return o
}

// withLine appends a text on a new line; an empty text adds nothing.
func withLine(text, more string) string {
	if text != "" && more != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + more
}

// marked returns the text with a prefix for failures, for providers without an error flag.
func (o outcome) marked() string {
	if o.isError {
		return "Error: " + o.text
	}
	return o.text
}

// content returns the marked text as a string. If there are images, it returns a list of blocks and
// not a string. The parameters text and image are the types of these blocks.
func (o outcome) content(text, image string) *jsontree.Value {
	if len(o.images) == 0 {
		return jsontree.NewString(o.marked())
	}
	blocks := []*jsontree.Value{textBlock(text, o.marked())}
	for _, one := range o.images {
		blocks = append(blocks, jsontree.NewObject().AddText("type", image).AddText("image_url", dataURL(one)))
	}
	return jsontree.NewArray(blocks...)
}

// dataURL returns an image as a data URL.
func dataURL(image tool.Content) string {
	return "data:" + image.MIMEType + ";base64," + base64.StdEncoding.EncodeToString(image.Data)
}

// base64Of returns an image's bytes as a JSON string in base64.
func base64Of(image tool.Content) *jsontree.Value {
	return jsontree.NewString(base64.StdEncoding.EncodeToString(image.Data))
}
