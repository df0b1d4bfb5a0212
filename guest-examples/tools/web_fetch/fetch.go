// Package webfetch implements the built-in tool web_fetch, which fetches one web page as
// Markdown, text or HTML, the text of a PDF file, or an image.
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
	// DefaultLength is the number of characters shown if max_length is not set.
	DefaultLength = 20_000
	// MaxLength limits max_length.
	MaxLength = 200_000
	// MaxBody limits the bytes read of a response.
	MaxBody = 8 << 20
	// MaxHTML limits the bytes of a page that are parsed as HTML, and MaxTags its tags. The tree
	// of a page takes many times as much memory.
	MaxHTML = 3 << 20
	MaxTags = 120_000
	// MaxImage limits the size of an image, in bytes.
	MaxImage = 4 << 20
	// maxExcerpt limits the characters shown of an error page.
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
	// URL is absolute; without a scheme it means https.
	URL string `json:"url"`
	// Format is the format for HTML pages; empty means FormatMarkdown.
	Format string `json:"format"`
	// MaxLength limits the characters shown; 0 means DefaultLength.
	MaxLength toolabi.Int `json:"max_length"`
	// Offset is the number of characters to skip first.
	Offset toolabi.Int `json:"offset"`
}

// Run fetches a page through the transport. The text of an error is for a model.
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
		return guest.Result{}, fmt.Errorf("the page cannot be fetched: %w", err)
	}
	if res.Status >= http.StatusBadRequest {
		return guest.Result{}, failure(res)
	}
	if res.Status >= http.StatusMultipleChoices {
		return guest.Result{}, fmt.Errorf("%s responded %s without a Location", shownURL(res.URL), client.StatusText(res.Status))
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
		return fmt.Errorf("format is %q; it must be markdown, text or html", a.Format)
	}
	if a.MaxLength == 0 {
		a.MaxLength = DefaultLength
	}
	if a.MaxLength < 1 || a.MaxLength > MaxLength {
		return fmt.Errorf("max_length is %d; it must be from 1 to %d", a.MaxLength, MaxLength)
	}
	if a.Offset < 0 {
		return fmt.Errorf("offset is %d; the first character is at 0", a.Offset)
	}
	return nil
}

// accepts returns the Accept header. Some servers also offer their pages in Markdown.
func accepts(format string) string {
	const others = "text/html,application/xhtml+xml,application/json;q=0.9,text/plain;q=0.9,image/*;q=0.8,*/*;q=0.5"
	if format == FormatMarkdown {
		return "text/markdown," + others
	}
	return others
}

// failure returns the error for a response with an error status.
func failure(res *client.Response) error {
	text := fmt.Sprintf("%s responded %s", shownURL(res.URL), client.StatusText(res.Status))
	switch res.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		text += "; the page requires access rights"
	case http.StatusNotFound, http.StatusGone:
		text += "; look for another URL, with web_search or on a parent page"
	case http.StatusTooManyRequests:
		text += "; the server currently refuses further requests"
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
