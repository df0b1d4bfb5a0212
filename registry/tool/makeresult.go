package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plainjson"
)

// TextResult returns a result with one text block. details are data for programs, such as
// {path, size}; they become Structured, and nil means none. TextResult fails if details cannot
// be encoded as JSON.
func TextResult(text string, details any) (Result, error) {
	result := Result{Content: []Content{TextContent(text)}}
	if details == nil {
		return result, nil
	}
	var err error
	result.Structured, err = exactJSON(details)
	return result, err
}

// JSONResult returns a result with a JSON value: in Structured, and as a text block with an
// indentation of two spaces. Numbers stay exact: a json.Number and a json.RawMessage are written
// unchanged. JSONResult fails if payload cannot be encoded as JSON.
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

// ImageResult returns a result with a caption, an image, and details as for [TextResult]. A path
// in the details should be relative. ImageResult adds the image's "width" and "height" to the
// details unless they are already there. It fails if the image is invalid, or if the details
// cannot be encoded as JSON.
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

// exactJSON encodes a value without HTML escapes, which would be noise to a model.
func exactJSON(value any) (json.RawMessage, error) {
	text, err := plainjson.Encode(value)
	if err != nil {
		return nil, fmt.Errorf("the value cannot be encoded as JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return text, nil
}
