package webfetch

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/wasmtool/wasmtool/guest-examples/internal/client"
	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
)

// maxTitle limits the number of characters of a title.
const maxTitle = 200

// readHTML converts an HTML page to the format.
func (d *document) readHTML(res *client.Response, format string) error {
	text := d.decode(res.Body, res.Header.Get("Content-Type"))
	if format == FormatHTML {
		d.text = text
		d.title = titleIn(text)
		return nil
	}
	if end := readable(text); end < len(text) {
		text = text[:end]
		d.notes = append(d.notes, fmt.Sprintf("the page is too large to be converted, so this is only its first %d bytes; use format=html for the rest", end))
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return errors.New("has elements that are nested too deeply; fetch it with format=html")
	}
	at, err := url.Parse(res.URL)
	if err != nil {
		return errors.New("has a URL that is invalid")
	}
	d.title = titleOf(root)
	content, mainOnly, notes := contentOf(root, at)
	d.mainOnly = mainOnly
	d.notes = append(d.notes, notes...)
	if format == FormatMarkdown && effort(content, 1) > maxEffort {
		d.notes = append(d.notes, "the page is nested too deeply for Markdown; this is its plain text")
		format = FormatText
	}
	if format == FormatText {
		d.text = plainText(content)
		return nil
	}
	d.text, err = markdown(content)
	return err
}

// readable returns how many bytes at the start of a page can be parsed within the memory limits.
func readable(text string) int {
	end := min(len(text), MaxHTML)
	tags := 0
	for i := 0; i < end; i++ {
		if text[i] == '<' {
			if tags++; tags > MaxTags {
				return i
			}
		}
	}
	return end
}

// maxEffort limits the number of bytes that the converter copies. The converter copies the content
// of an element once for each of its ancestors.
const maxEffort = 48 << 20

// effort estimates how many bytes the converter copies for the tree n, which is at the given depth.
func effort(n *html.Node, depth int) int {
	const markup = 16 // number of bytes for the markup around a text
	sum := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		sum += depth*(len(c.Data)+markup) + effort(c, depth+1)
	}
	return sum
}

// titleOf returns the title of a page, or its first heading.
func titleOf(root *html.Node) string {
	heading := ""
	for n := range root.Descendants() {
		switch {
		case n.Type != html.ElementNode || n.Namespace != "":
		case n.DataAtom == atom.Title:
			if title := plain.Line(inner(n), maxTitle); title != "" {
				return title
			}
		case n.DataAtom == atom.H1 && heading == "":
			heading = plain.Line(inner(n), maxTitle)
		}
	}
	return heading
}

// titleIn does the same as titleOf for a page that has not been parsed.
func titleIn(text string) string {
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "title" && z.Next() == html.TextToken {
				return plain.Line(string(z.Text()), maxTitle)
			}
		}
	}
}

// inner returns the text of all nodes in a node.
func inner(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// markdown writes a tidied tree as Markdown. It does not escape Markdown characters in words,
// because the text is not rendered and backslashes would make names harder to read. Deciding where
// a backslash is needed would also take quadratic time.
func markdown(n *html.Node) (string, error) {
	c := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(),
		strikethrough.NewStrikethroughPlugin(),
		// Use minimal padding, because full padding makes each row as long as the longest row.
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithNewlineBehavior(table.NewlineBehaviorPreserve)),
	))
	shield(n, false)
	text, err := c.ConvertNode(n)
	if err != nil {
		return "", errors.New("can't be converted to Markdown; fetch it with format=text")
	}
	return shielded.Replace(string(bytes.TrimSpace(text))), nil
}

// The converter replaces angle brackets with entities even in code, and bars end a table cell.
// During the conversion, these placeholders replace brackets and bars. They are not characters that
// a text contains.
var (
	shields    = strings.NewReplacer("<", "\uFDD0", ">", "\uFDD1", "\uFDD0", "", "\uFDD1", "", "\uFDD2", "")
	cellShield = strings.NewReplacer("|", "\uFDD2")
	shielded   = strings.NewReplacer("\uFDD0", "<", "\uFDD1", ">", "\uFDD2", `\|`)
)

// shield replaces brackets and bars in the text of a tree with the placeholders.
func shield(n *html.Node, inCell bool) {
	inCell = inCell || n.DataAtom == atom.Td || n.DataAtom == atom.Th
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			if c.Data = shields.Replace(c.Data); inCell {
				c.Data = cellShield.Replace(c.Data)
			}
		}
		shield(c, inCell)
	}
}
