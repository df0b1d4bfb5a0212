// Package webfetch implements the built-in tool web_fetch, which fetches one URL. The result is a
// web page as Markdown, text or HTML; the text of a PDF file; or an image.
package webfetch

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/client"
	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

const (
	// DefaultLength is the number of characters that are shown if max_length is not set.
	DefaultLength = 20_000
	// MaxLength is the maximum of max_length.
	MaxLength = 200_000
	// MaxBody limits how many bytes of a response are read.
	MaxBody = 8 << 20
	// MaxHTML limits how many bytes of a page are parsed as HTML. MaxTags limits the number of tags
	// that are parsed. The parsed tree needs many times as much memory as the page.
	MaxHTML = 3 << 20
	MaxTags = 120_000
	// MaxImage limits the size of an image, in bytes.
	MaxImage = 4 << 20
	// maxExcerpt limits how many characters of an error page are shown.
	maxExcerpt = 1000
)

// The formats.
const (
	FormatMarkdown = "markdown"
	FormatText     = "text"
	FormatHTML     = "html"
)

// Args are the arguments of web_fetch.
type Args struct {
	// URL is an absolute URL. The default of the scheme is https.
	URL string `json:"url"`
	// Format is the format for HTML pages; empty means FormatMarkdown.
	Format string `json:"format"`
	// MaxLength limits the number of characters that are shown; 0 means DefaultLength.
	MaxLength toolabi.Int `json:"max_length"`
	// Offset is the number of characters that are skipped at the start of the page.
	Offset toolabi.Int `json:"offset"`
}

// Run fetches a page through the transport. The message of an error is written for a model.
func Run(ctx context.Context, transport http.RoundTripper, args Args) (guest.Result, error) {
	if err := args.complete(); err != nil {
		return guest.Result{}, err
	}
	address, err := parseAddress(args.URL)
	if err != nil {
		return guest.Result{}, err
	}
	request, err := http.NewRequest(http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return guest.Result{}, fmt.Errorf("url: %w", err)
	}
	request.Header.Set("Accept", accepts(args.Format))
	res, err := client.New(transport).Do(ctx, request, MaxBody)
	if err != nil {
		return guest.Result{}, fmt.Errorf("the page can't be fetched: %w", err)
	}
	if res.Status >= http.StatusBadRequest {
		return guest.Result{}, failure(res)
	}
	if res.Status >= http.StatusMultipleChoices {
		return guest.Result{}, fmt.Errorf("%s responded with the redirect %s, but without a Location header", shownURL(res.URL), client.StatusText(res.Status))
	}
	return show(res, args)
}

// complete checks the arguments and sets defaults.
func (a *Args) complete() error {
	switch a.Format {
	case "":
		a.Format = FormatMarkdown
	case FormatMarkdown, FormatText, FormatHTML:
	default:
		return fmt.Errorf(`the argument "format" is %q; it must be markdown, text or html`, a.Format)
	}
	if a.MaxLength == 0 {
		a.MaxLength = DefaultLength
	}
	if a.MaxLength < 1 || a.MaxLength > MaxLength {
		return fmt.Errorf("max_length is %d; it must be from 1 to %d", a.MaxLength, MaxLength)
	}
	if a.Offset < 0 {
		return fmt.Errorf(`the argument "offset" is %d; it must be at least 0, the first character`, a.Offset)
	}
	return nil
}

// accepts returns the value of the Accept header for a format. Some servers also offer their pages
// as Markdown.
func accepts(format string) string {
	const others = "text/html,application/xhtml+xml,application/json;q=0.9,text/plain;q=0.9,image/*;q=0.8,*/*;q=0.5"
	if format == FormatMarkdown {
		return "text/markdown," + others
	}
	return others
}

// failure returns the error for a response whose status is an error.
func failure(res *client.Response) error {
	text := fmt.Sprintf("%s responded %s", shownURL(res.URL), client.StatusText(res.Status))
	switch res.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		text += "; the page is only for users with access rights"
	case http.StatusNotFound, http.StatusGone:
		text += "; find another URL with web_search or on a parent page"
	case http.StatusTooManyRequests:
		text += "; the server currently accepts no requests"
		if after := res.Header.Get("Retry-After"); after != "" {
			text += ", retry after " + oneLine(after)
		}
	}
	if doc, err := understand(res, FormatText); err == nil {
		clean, _ := plain.Text(doc.text)
		if excerpt, _ := page(strings.TrimSpace(clean), 0, maxExcerpt); excerpt != "" {
			text += "\n" + notice + "\n\n" + excerpt
		}
	}
	return fmt.Errorf("%s", text)
}
