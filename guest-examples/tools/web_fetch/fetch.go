// Package webfetch is the built-in tool web_fetch: one page of the web as Markdown, text or
// HTML, the text of a PDF file, or an image.
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
	// DefaultLength is how many characters a call shows that names no max_length.
	DefaultLength = 20_000
	// MaxLength is how many it shows at most.
	MaxLength = 200_000
	// MaxBody is how much of an answer is read, in bytes.
	MaxBody = 8 << 20
	// MaxHTML is how much of a page is understood as HTML, in bytes, and MaxTags how many
	// tags of it: the tree of a page takes many times as much memory.
	MaxHTML = 3 << 20
	MaxTags = 120_000
	// MaxImage is the largest image, in bytes.
	MaxImage = 4 << 20
	// maxExcerpt is how many characters of the page of a failure are shown.
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
	// URL is absolute; without a scheme it is https.
	URL string `json:"url"`
	// Format is one of the formats for pages of HTML; empty means FormatMarkdown.
	Format string `json:"format"`
	// MaxLength is how many characters to show at most; 0 means DefaultLength.
	MaxLength toolabi.Int `json:"max_length"`
	// Offset is how many characters to leave out before that.
	Offset toolabi.Int `json:"offset"`
}

// Run fetches a page by the transport. The text of an error is for a model.
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
		return guest.Result{}, fmt.Errorf("%s answered %s, and says nothing about where to go", shownURL(res.URL), client.StatusText(res.Status))
	}
	return show(res, args)
}

// complete checks the arguments and fills in defaults.
func (a *Args) complete() error {
	switch a.Format {
	case "":
		a.Format = FormatMarkdown
	case FormatMarkdown, FormatText, FormatHTML:
	default:
		return fmt.Errorf("format is %q; write markdown, text or html", a.Format)
	}
	if a.MaxLength == 0 {
		a.MaxLength = DefaultLength
	}
	if a.MaxLength < 1 || a.MaxLength > MaxLength {
		return fmt.Errorf("max_length is %d; write a number from 1 to %d", a.MaxLength, MaxLength)
	}
	if a.Offset < 0 {
		return fmt.Errorf("offset is %d; the first character is at 0", a.Offset)
	}
	return nil
}

// accepts says which forms are wanted. Some servers have their pages in Markdown, too.
func accepts(format string) string {
	const others = "text/html,application/xhtml+xml,application/json;q=0.9,text/plain;q=0.9,image/*;q=0.8,*/*;q=0.5"
	if format == FormatMarkdown {
		return "text/markdown," + others
	}
	return others
}

// failure is the error of an answer that tells of one.
func failure(res *client.Response) error {
	text := fmt.Sprintf("%s answered %s", shownURL(res.URL), client.StatusText(res.Status))
	switch res.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		text += "; the page is not for everybody"
	case http.StatusNotFound, http.StatusGone:
		text += "; look for another URL, by web_search or in a page above this one"
	case http.StatusTooManyRequests:
		text += "; the server takes no more requests for now"
		if after := res.Header.Get("Retry-After"); after != "" {
			text += ", it says to retry after " + oneLine(after)
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
