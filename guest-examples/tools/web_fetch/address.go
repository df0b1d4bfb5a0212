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
		return nil, errors.New(`the argument "url" is empty; give a URL such as https://HOST/PATH`)
	}
	if scheme, _, ok := strings.Cut(text, ":"); !ok || strings.ContainsAny(scheme, "./") {
		text = "https://" + strings.TrimPrefix(text, "//")
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("url: %q is not a URL; give a URL such as https://HOST/PATH", oneLine(text))
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("url: only http and https URLs can be fetched, not %s; to read files of the workspace use read", oneLine(u.Scheme))
	case u.Host == "":
		return nil, errors.New(`the argument "url" has no host; give a URL such as https://HOST/PATH`)
	case u.User != nil:
		return nil, errors.New(`the argument "url" contains a user name or password, which is never sent; remove it`)
	}
	u.Fragment, u.RawFragment = "", "" // the fragment is never sent to a server
	return u, nil
}

// maxShownURL limits the number of characters of a URL that are shown.
const maxShownURL = 300

// shownURL makes a URL from another source safe to show.
func shownURL(text string) string { return plain.Line(text, maxShownURL) }

// oneLine converts a text from another source to one short line, for an error.
func oneLine(text string) string {
	const limit = 100
	return plain.Line(text, limit)
}
