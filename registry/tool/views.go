package tool

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/wasmtool/wasmtool/internal/plainjson"
)

// The views are forms of a result that other systems expect. They share memory with the result.

// DetailsView is a result in the form {content, details}.
type DetailsView struct {
	Content []Content       `json:"content"`
	Details json.RawMessage `json:"details,omitempty"`
}

// Details returns the result as a [DetailsView].
func (r Result) Details() DetailsView {
	return DetailsView{Content: append([]Content{}, r.Content...), Details: r.Structured}
}

// The types of a [TypedView].
const (
	ViewText  = "text"
	ViewJSON  = "json"
	ViewError = "error"
)

// TypedView is a result in the form {type, content, attachments, metadata}.
type TypedView struct {
	// Type is ViewError for a failure, ViewJSON for a result whose only text is its structured
	// value, and otherwise ViewText.
	Type string `json:"type"`
	// Content is the structured value for ViewJSON, and otherwise the text as a JSON string.
	Content json.RawMessage `json:"content"`
	// Attachments are the content blocks that are not text, then the result's attachments.
	Attachments []Content      `json:"attachments"`
	Metadata    map[string]any `json:"metadata,omitempty"`
}

// Typed returns the result as a [TypedView]. It fails if the text cannot be encoded as JSON,
// which is impossible for a result that [Result.Check] accepts.
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

// OutputView is a result in the form {title, output, metadata}.
type OutputView struct {
	Title    string         `json:"title"`
	Output   string         `json:"output"`
	Metadata map[string]any `json:"metadata"`
}

// Output returns the result as an [OutputView]. If the result has no title, the title is the
// name of the tool.
func (r Result) Output() OutputView {
	v := OutputView{Title: cmp.Or(r.Title, r.Call.Tool), Output: r.Text(), Metadata: r.Metadata}
	if v.Metadata == nil {
		v.Metadata = map[string]any{}
	}
	return v
}
