package tool

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/wasmtool/wasmtool/internal/plainjson"
)

// The views are shapes in which other systems expect a result. They share memory with it.

// DetailsView is the shape {content, details}.
type DetailsView struct {
	Content []Content       `json:"content"`
	Details json.RawMessage `json:"details,omitempty"`
}

// Details returns the view of a result as content and details.
func (r Result) Details() DetailsView {
	return DetailsView{Content: append([]Content{}, r.Content...), Details: r.Structured}
}

// The types of a TypedView.
const (
	ViewText  = "text"
	ViewJSON  = "json"
	ViewError = "error"
)

// TypedView is the shape {type, content, attachments, metadata}.
type TypedView struct {
	// Type is ViewError for a failure, else ViewJSON for a result whose only text is its
	// structured value, else ViewText.
	Type string `json:"type"`
	// Content is the structured value of ViewJSON, and else the text as a JSON string.
	Content json.RawMessage `json:"content"`
	// Attachments are the blocks that are no text, and those of the result.
	Attachments []Content      `json:"attachments"`
	Metadata    map[string]any `json:"metadata,omitempty"`
}

// Typed returns the view of a result as one value with a type. The error is that of
// encoding/json for a text, and never comes for a result that Check lets pass.
func (r Result) Typed() (TypedView, error) {
	v := TypedView{Type: ViewText, Metadata: r.Metadata, Attachments: append([]Content{}, r.Content...)}
	v.Attachments = slices.DeleteFunc(v.Attachments, func(c Content) bool { return c.Type == ContentText })
	v.Attachments = append(v.Attachments, r.Attachments...)
	switch {
	case r.IsError:
		v.Type = ViewError
	case len(r.Structured) > 0 && plainjson.IsIn(r.Structured, r.Text()):
		v.Type, v.Content = ViewJSON, r.Structured
		return v, nil
	}
	var err error
	v.Content, err = exactJSON(r.Text())
	return v, err
}

// OutputView is the shape {title, output, metadata}.
type OutputView struct {
	Title    string         `json:"title"`
	Output   string         `json:"output"`
	Metadata map[string]any `json:"metadata"`
}

// Output returns the view of a result as a title and a text. A result without a title has
// the name of its tool.
func (r Result) Output() OutputView {
	v := OutputView{Title: cmp.Or(r.Title, r.Call.Tool), Output: r.Text(), Metadata: r.Metadata}
	if v.Metadata == nil {
		v.Metadata = map[string]any{}
	}
	return v
}
