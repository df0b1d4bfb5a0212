package webfetch

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
)

// parseAddress parses the URL of a page. The host decides whether the URL is allowed.
func parseAddress(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, errors.New("url is empty; give https://HOST/PATH")
	}
	if scheme, _, ok := strings.Cut(text, ":"); !ok || strings.ContainsAny(scheme, "./") {
		text = "https://" + strings.TrimPrefix(text, "//")
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("url: %q is not a URL; give https://HOST/PATH", oneLine(text))
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("url: only http and https URLs can be fetched, not %s; to read files of the workspace use read", oneLine(u.Scheme))
	case u.Host == "":
		return nil, errors.New("url has no host; give https://HOST/PATH")
	case u.User != nil:
		return nil, errors.New("url contains a user name or password, which is never sent; remove it")
	}
	u.Fragment, u.RawFragment = "", "" // the fragment is not sent to servers
	return u, nil
}

// maxShownURL limits the characters shown of a URL.
const maxShownURL = 300

// shownURL makes a foreign URL safe to show.
func shownURL(text string) string { return plain.Line(text, maxShownURL) }

// oneLine shortens a foreign text to one line for an error.
func oneLine(text string) string {
	const limit = 100
	return plain.Line(text, limit)
}
