package websearch

import (
	"bytes"
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
)

// request builds a request to a service. body is a JSON value, or nil for a request without a body.
func request(method, base, path string, query url.Values, body []byte) (*http.Request, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return nil, errors.New("the URL of the search service is not set; the operator must set it in the settings of web_search")
	}
	u = u.JoinPath(path)
	u.RawQuery = query.Encode()
	r, err := http.NewRequest(method, u.String(), bytes.NewReader(body))
	if err == nil && body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, err
}

// tags matches the HTML tags that services use to highlight words of the query.
var tags = regexp.MustCompile(`</?(?:strong|em|mark|b|i|br) ?/?>`)

// fromHTML returns the text of a title or an excerpt that contains tags and entities.
func fromHTML(text string) string {
	return html.UnescapeString(tags.ReplaceAllString(text, ""))
}

// short shortens a text that a service sent, for a note.
func short(text string) string {
	const limit = 200
	return plain.Line(strings.TrimSpace(text), limit)
}
