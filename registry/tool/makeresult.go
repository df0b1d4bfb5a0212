package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plainjson"
)

// TextResult returns a result of one text. The details, what a program would want to know,
// such as {path, size}, become Structured; nil means none. The error is that of
// encoding/json for details that are no JSON.
func TextResult(text string, details any) (Result, error) {
	result := Result{Content: []Content{TextContent(text)}}
	if details == nil {
		return result, nil
	}
	var err error
	result.Structured, err = exactJSON(details)
	return result, err
}

// JSONResult returns a result that is a JSON value: as Structured, and, for readers of
// text, with two spaces of indentation. Numbers stay exact: a json.Number and a
// json.RawMessage are written as they are. The error is that of encoding/json for a
// payload that is no JSON.
func JSONResult(payload any) (Result, error) {
	structured, err := exactJSON(payload)
	if err != nil {
		return Result{}, err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, structured, "", "  "); err != nil {
		return Result{}, err
	}
	return Result{Content: []Content{TextContent(text.String())}, Structured: structured}, nil
}

// ImageResult returns a result of a caption and an image, and details as for TextResult. A
// path among them should be relative. Where details are an object without "width" and
// "height", those of the image are added. The error says what is wrong with the image or
// with the details.
func ImageResult(caption string, data []byte, mimeType string, details map[string]any) (Result, error) {
	image := ImageContent(data, mimeType)
	info, err := checkMedia(image)
	if err != nil {
		return Result{}, err
	}
	all := map[string]any{"width": info.Width, "height": info.Height}
	maps.Copy(all, details)
	result, err := TextResult(caption, all)
	if err != nil {
		return Result{}, err
	}
	result.Content = append(result.Content, image)
	return result, nil
}

// exactJSON writes a value without escapes for HTML, which a model would read as noise.
func exactJSON(value any) (json.RawMessage, error) {
	text, err := plainjson.Encode(value)
	if err != nil {
		return nil, fmt.Errorf("the value is no JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return text, nil
}
