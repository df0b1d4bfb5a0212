package webfetch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/wasmtool/wasmtool/guest-examples/internal/client"
	"github.com/wasmtool/wasmtool/guest-examples/internal/pdftext"
	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
)

// document is the decoded content of a response.
type document struct {
	// mediaType is the detected media type, such as "text/html".
	mediaType string
	// charset is the original encoding. It is empty for UTF-8 and for content without an encoding.
	charset string
	// title is the title of the page, on one line. It may be empty.
	title string
	// text is the text in the requested format. It is empty for an image.
	text  string
	image bool
	// pages is the number of pages of a PDF file.
	pages int
	// mainOnly reports that only the main content of the page is included.
	mainOnly bool
	// notes are sentences about unexpected properties of the response.
	notes []string
}

// understand decodes a response and converts it to the format.
func understand(res *client.Response, format string) (document, error) {
	doc := document{mediaType: mediaType(res)}
	if res.Cut {
		doc.notes = append(doc.notes, fmt.Sprintf("the response is larger than %d bytes; the rest was not read", len(res.Body)))
	}
	var err error
	switch kind := doc.mediaType; {
	case isImage(kind):
		return doc.asImage(res)
	case kind == "application/pdf" || pdftext.IsPDF(res.Body):
		err = doc.readPDF(res)
	case kind == "text/html" || kind == "application/xhtml+xml":
		err = doc.readHTML(res, format)
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		doc.readJSON(res.Body)
	case isText(kind, res.Body):
		doc.readText(res)
	default:
		err = fmt.Errorf("is of type %s, which is neither text nor an image that can be shown", oneLine(kind))
	}
	if err != nil {
		return doc, fmt.Errorf("%s (%s) %w", shownURL(res.URL), sizeOf(res), err)
	}
	return doc, nil
}

// mediaType returns the media type that the server sent. If the server sent none or a generic type,
// mediaType detects the type from the body.
func mediaType(res *client.Response) string {
	declared, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err == nil && declared != "application/octet-stream" && declared != "binary/octet-stream" && !strings.HasPrefix(declared, "image/") {
		return declared
	}
	if err == nil && declared == "image/svg+xml" {
		return declared // a text
	}
	looks, _, _ := mime.ParseMediaType(http.DetectContentType(res.Body))
	return looks
}

func isImage(kind string) bool {
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

func (d document) asImage(res *client.Response) (document, error) {
	if res.Cut || len(res.Body) > MaxImage {
		return d, fmt.Errorf("%s is %s of %s; the limit for images is %d bytes", shownURL(res.URL), d.mediaType, sizeOf(res), MaxImage)
	}
	d.image = true
	return d, nil
}

// readPDF extracts the text of a PDF file. A truncated file can't be read, because its index is
// at the end.
func (d *document) readPDF(res *client.Response) error {
	d.mediaType = "application/pdf"
	if res.Cut {
		return fmt.Errorf("is a PDF file of more than the limit of %d bytes", MaxBody)
	}
	file, err := pdftext.Extract(res.Body)
	if err != nil {
		return fmt.Errorf("%w; search for a web page with the same content", err)
	}
	d.title, d.text, d.pages = file.Title, file.Text, file.Pages
	d.notes = append(d.notes, file.Notes...)
	return nil
}

// textTypes are the media types of text formats that do not begin with text/.
var textTypes = map[string]bool{
	"application/xml": true, "application/javascript": true, "application/x-javascript": true, "application/ecmascript": true,
	"application/yaml": true, "application/x-yaml": true, "application/toml": true, "application/x-sh": true, "application/sql": true,
	"application/x-ndjson": true, "application/graphql": true, "application/x-httpd-php": true,
}

func isText(kind string, body []byte) bool {
	if bytes.IndexByte(body, 0) >= 0 {
		return hasWideMark(body)
	}
	return strings.HasPrefix(kind, "text/") || textTypes[kind] || strings.HasSuffix(kind, "+xml") || utf8.Valid(body)
}

// hasWideMark reports whether body begins with a byte order mark of UTF-16.
func hasWideMark(body []byte) bool {
	return bytes.HasPrefix(body, []byte{0xff, 0xfe}) || bytes.HasPrefix(body, []byte{0xfe, 0xff})
}

// readText decodes a body of plain text.
func (d *document) readText(res *client.Response) {
	_, params, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if params["charset"] == "" && utf8.Valid(res.Body) {
		d.text = string(res.Body)
		return
	}
	d.text = d.decode(res.Body, res.Header.Get("Content-Type"))
}

// decode converts body to UTF-8. The encoding is the first of these that exists: the encoding of
// the Content-Type, of a byte order mark, or of a declaration at the start of the page. Otherwise
// the encoding is guessed.
func (d *document) decode(body []byte, contentType string) string {
	encoding, name, _ := charset.DetermineEncoding(body, contentType)
	if name != "utf-8" {
		d.charset = name
	}
	text, err := encoding.NewDecoder().Bytes(body)
	if err != nil { // an encoding that can't decode, such as "replacement"
		d.notes = append(d.notes, "the text is not in the declared encoding "+name+" that it declares")
		return string(bytes.ToValidUTF8(body, []byte("\uFFFD")))
	}
	return string(text)
}

// maxIndented limits the nesting of JSON that is indented. Each level makes all lines in it longer.
const maxIndented = 64

// readJSON indents JSON and keeps the digits of its numbers.
func (d *document) readJSON(body []byte) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	d.text = string(body)
	if nesting(body) > maxIndented {
		return
	}
	var b bytes.Buffer
	if err := json.Indent(&b, body, "", "  "); err != nil {
		d.notes = append(d.notes, "the response is not valid JSON: "+plain.Line(err.Error(), maxShownURL))
		return
	}
	d.text = b.String()
}

// nesting returns the maximum nesting of brackets in a JSON text. It ignores brackets in strings.
func nesting(body []byte) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}
