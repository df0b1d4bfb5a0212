package llm

import (
	"encoding/base64"

	"github.com/wasmtool/wasmtool/registry/tool"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// outcome is a result in the form that providers accept: a text that is never empty, and images.
type outcome struct {
	text    string
	images  []tool.Content
	isError bool
}

func newOutcome(r tool.Result) outcome {
	o := outcome{text: r.Text(), isError: r.IsError}
	for _, c := range r.Content {
		if c.Type == tool.ContentImage {
			o.images = append(o.images, c)
		}
	}
	switch {
	case o.text != "":
	case len(r.Structured) > 0:
		o.text = string(r.Structured)
	case len(o.images) > 0:
		o.text = "(see the image)"
	case o.isError:
		o.text = "the call failed"
	default:
		o.text = "(no output)"
	}
	return o
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
