package rest

import (
	"bytes"
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// images are the media types of images that models accept.
var images = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// result converts a response whose status is a success.
func (e *Executor) result(res *egress.Response, body []byte) (tool.Result, error) {
	mediaType, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")) // "" if it is invalid
	output := e.manifest.REST.Output
	switch {
	case output == manifests.RESTJSON:
		return e.jsonResult(body)
	case output == manifests.RESTText:
		return textResult(mediaType, body)
	case len(body) == 0:
		return text(fmt.Sprintf("the server answered %s, with an empty body", statusText(res.Status))), nil
	case images[mediaType]:
		return tool.Result{Content: []tool.Content{{Type: tool.ContentImage, Data: body, MIMEType: mediaType}}}, nil
	case mediaType == "application/json" || strings.HasSuffix(mediaType, "+json"):
		result, err := e.jsonResult(body)
		if err == nil {
			return result, nil
		}
		// The manifest does not require JSON, so other text is a valid response.
		result, textErr := textResult(mediaType, body)
		result.Warnings = []string{"the response is returned as text: " + err.Error()}
		return result, textErr
	}
	return textResult(mediaType, body)
}

// jsonResult returns the selected part of a JSON response. Literals stay as the server wrote
// them.
func (e *Executor) jsonResult(body []byte) (tool.Result, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return tool.Result{}, tool.Errorf(tool.CodeInvalidOutput, "the response is empty where JSON is expected")
	}
	tokens := e.manifest.REST.Select
	document, err := jsontree.Parse(body, jsontree.Document("the document"))
	if err != nil {
		return tool.Result{}, tool.Errorf(tool.CodeInvalidOutput, "the response is not valid JSON: %v", err)
	}
	value := document.At(tokens)
	if value == nil {
		return tool.Result{}, tool.Errorf(tool.CodeInvalidOutput, "the response has nothing at %s, where the manifest selects the result", jsontree.FormatPointer(tokens))
	}
	structured := value.JSON()
	result := text(string(structured))
	if value.Kind == jsontree.String && len(tokens) > 0 {
		result = text(value.Text()) // a selected string is shown without quotes
	}
	result.Structured = structured
	return result, nil
}

// textResult returns the response as text, if it is valid UTF-8 without NUL.
func textResult(mediaType string, body []byte) (tool.Result, error) {
	if utf8.Valid(body) && !bytes.ContainsRune(body, 0) {
		return text(string(body)), nil
	}
	return tool.Result{}, tool.Errorf(tool.CodeInvalidOutput, "the response (%s, %d bytes) is neither text in UTF-8 nor an image", cmp.Or(mediaType, "no media type"), len(body))
}

func text(s string) tool.Result {
	return tool.Result{Content: []tool.Content{tool.TextContent(s)}}
}

// statusText returns a status with its name, such as "404 Not Found".
func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
