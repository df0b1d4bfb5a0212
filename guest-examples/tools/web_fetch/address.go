package webfetch

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
)

// parseAddress reads the URL of a page. What may be asked for is for the host to say.
func parseAddress(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, errors.New("url is empty; write https://HOST/PATH")
	}
	if scheme, _, ok := strings.Cut(text, ":"); !ok || strings.ContainsAny(scheme, "./") {
		text = "https://" + strings.TrimPrefix(text, "//")
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("url: %q is no URL; write https://HOST/PATH", oneLine(text))
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("url: only http and https are fetched, not %s; files of the workspace are for the tool read", oneLine(u.Scheme))
	case u.Host == "":
		return nil, errors.New("url names no host; write https://HOST/PATH")
	case u.User != nil:
		return nil, errors.New("url holds a user name or password, which is not sent; leave it out")
	}
	u.Fragment, u.RawFragment = "", "" // a place in the page, which servers do not see
	return u, nil
}

// maxShownURL is how many characters of a URL are shown.
const maxShownURL = 300

// shownURL is a URL of somebody else's for a text.
func shownURL(text string) string { return plain.Line(text, maxShownURL) }

// oneLine is a short text of somebody else's for an error.
func oneLine(text string) string {
	const most = 100
	return plain.Line(text, most)
}
