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

// maxTitle is how many characters of a title are kept.
const maxTitle = 200

// readHTML turns a page into the format.
func (d *document) readHTML(res *client.Response, format string) error {
	text := d.decode(res.Body, res.Header.Get("Content-Type"))
	if format == FormatHTML {
		d.text = text
		d.title = titleIn(text)
		return nil
	}
	if end := readable(text); end < len(text) {
		text = text[:end]
		d.notes = append(d.notes, fmt.Sprintf("the page is too large to be read as a whole; what comes after its first %d bytes is left out, format=html has it", end))
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return errors.New("nests its elements too deep to be read; fetch it with format=html")
	}
	at, err := url.Parse(res.URL)
	if err != nil {
		return errors.New("has a URL that cannot be read")
	}
	d.title = titleOf(root)
	content, mainOnly := contentOf(root, at)
	d.mainOnly = mainOnly
	if format == FormatMarkdown && effort(content, 1) > maxEffort {
		d.notes = append(d.notes, "the page nests too much in too much to be turned into Markdown; this is its text")
		format = FormatText
	}
	if format == FormatText {
		d.text = plainText(content)
		return nil
	}
	d.text, err = markdown(content)
	return err
}

// readable is the length of the beginning of a page whose tree has room in the memory.
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

// maxEffort is how many bytes the converter may copy, about: it copies all that is in an
// element for each that it lies in.
const maxEffort = 48 << 20

// effort is how many bytes that would be for a tree that lies so deep.
func effort(n *html.Node, depth int) int {
	const markup = 16 // for what stands around a text
	sum := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		sum += depth*(len(c.Data)+markup) + effort(c, depth+1)
	}
	return sum
}

// titleOf is the title of a page, or its first heading.
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

// titleIn is titleOf for a page that is not parsed.
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

// inner is all text in a node.
func inner(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// markdown writes a tree that was tidied as Markdown. Words with marks in them stand as they
// are in the page: nobody renders the text, backslashes are in the way of names, and to
// find out where one is needed takes time that grows with the square of the page.
func markdown(n *html.Node) (string, error) {
	c := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(),
		strikethrough.NewStrikethroughPlugin(),
		// Padding would make each row as long as the longest.
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithNewlineBehavior(table.NewlineBehaviorPreserve)),
	))
	shield(n, false)
	text, err := c.ConvertNode(n)
	if err != nil {
		return "", errors.New("cannot be turned into Markdown; fetch it with format=text")
	}
	return shielded.Replace(string(bytes.TrimSpace(text))), nil
}

// The converter writes brackets as entities, also where a page shows code, and bars end a
// cell of a table. In their place it gets what is no character of any text.
var (
	shields    = strings.NewReplacer("<", "\uFDD0", ">", "\uFDD1", "\uFDD0", "", "\uFDD1", "", "\uFDD2", "")
	cellShield = strings.NewReplacer("|", "\uFDD2")
	shielded   = strings.NewReplacer("\uFDD0", "<", "\uFDD1", ">", "\uFDD2", `\|`)
)

// shield puts them into the text of a tree.
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
