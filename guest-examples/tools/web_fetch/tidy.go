package webfetch

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of what makes texts of pages much longer than the pages.
const (
	// maxIndents is how deep lists and quotations may nest: each indents all that is in it.
	maxIndents = 6
	// maxColumns is how wide a table may be, and maxCells how large: short rows are filled
	// up to the longest.
	maxColumns = 64
	maxCells   = 50_000
	// maxSpan is how many rows or columns a cell may span, maxSpans how many cells those of a
	// page may span in all, and maxSpannedRows how many rows a table with such cells may have:
	// they push others aside, which makes all rows longer.
	maxSpan        = 16
	maxSpans       = 20_000
	maxSpannedRows = 500
	// maxLink is the longest URL that is kept, in bytes.
	maxLink = 2048
)

// tidier takes out of a tree what is not shown, makes links absolute, and takes the form
// from what would grow without bound.
type tidier struct {
	base  *url.URL
	spans int
}

// notShown are elements that show no text of the page, or make it.
var notShown = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Frame: true,
	atom.Object: true, atom.Embed: true, atom.Applet: true, atom.Svg: true, atom.Canvas: true, atom.Audio: true, atom.Video: true,
	atom.Link: true, atom.Meta: true, atom.Title: true, atom.Map: true, atom.Button: true, atom.Input: true, atom.Select: true,
	atom.Textarea: true, atom.Datalist: true, atom.Dialog: true, atom.Progress: true, atom.Meter: true,
}

// tidy works on all that is in n, which lies so many lists and quotations deep.
func (t *tidier) tidy(n *html.Node, indents int) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type == html.CommentNode, c.Type == html.ElementNode && (notShown[c.DataAtom] || isHidden(c)):
			n.RemoveChild(c)
		case c.Type == html.ElementNode:
			t.element(c, indents)
		}
		c = next
	}
}

func (t *tidier) element(n *html.Node, indents int) {
	switch n.DataAtom {
	case atom.Ul, atom.Ol, atom.Blockquote, atom.Dl:
		if indents++; indents > maxIndents {
			become(n, atom.Div)
		}
	case atom.Li:
		if indents > maxIndents {
			become(n, atom.Div)
		}
	case atom.Table:
		switch rows, columns := measure(n); {
		case columns > maxColumns || rows*columns > maxCells:
			flatten(n)
		case rows > maxSpannedRows:
			unspan(n)
		}
	case atom.Td, atom.Th:
		t.span(n)
	case atom.A:
		t.link(n, "href")
	case atom.Img:
		t.link(n, "src")
		if attribute(n, "src") == "" {
			if alt := attribute(n, "alt"); alt != "" {
				n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: alt}, n)
			}
			remove(n)
			return
		}
	}
	t.tidy(n, indents)
	if n.DataAtom == atom.A && strings.TrimSpace(inner(n)) == "" && find(n, func(c *html.Node) bool { return c.DataAtom == atom.Img }) == nil {
		remove(n) // a mark that people click on
	}
}

// isHidden reports an element that its page does not show by itself.
func isHidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch {
		case a.Key == "hidden" && a.Val != "until-found":
			return true
		case a.Key == "style":
			style := strings.ToLower(strings.Join(strings.Fields(a.Val), ""))
			for _, hides := range []string{"display:none", "visibility:hidden", "font-size:0;", "font-size:0px", "opacity:0;"} {
				if strings.Contains(style+";", hides) {
					return true
				}
			}
		}
	}
	return false
}

// link makes a URL absolute, and takes it out when it leads nowhere else.
func (t *tidier) link(n *html.Node, name string) {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	if i < 0 {
		return
	}
	text := strings.TrimSpace(n.Attr[i].Val)
	u, err := t.base.Parse(text)
	keep := err == nil && len(text) <= maxLink && !strings.HasPrefix(text, "#") && text != ""
	if keep {
		switch u.Scheme {
		case "http", "https":
			n.Attr[i].Val = u.String()
		case "mailto", "tel":
		default:
			keep = false
		}
	}
	if !keep {
		n.Attr = slices.Delete(n.Attr, i, i+1)
		if n.DataAtom == atom.A {
			become(n, atom.Span)
		}
	}
}

// span bounds how many cells a cell takes.
func (t *tidier) span(n *html.Node) {
	area := 1
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
		if !isSpan(a) {
			return false
		}
		count, err := strconv.Atoi(strings.TrimSpace(a.Val))
		if err != nil || count < 1 || count > maxSpan || t.spans+area*count > maxSpans {
			return true
		}
		area *= count
		return false
	})
	t.spans += area - 1
}

// measure counts the rows of a table, and the cells of its longest, those of tables in it
// left out.
func measure(n *html.Node) (rows, columns int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Tr:
			cells := 0
			for d := c.FirstChild; d != nil; d = d.NextSibling {
				if d.DataAtom == atom.Td || d.DataAtom == atom.Th {
					cells++
				}
			}
			rows, columns = rows+1, max(columns, cells)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			r, k := measure(c)
			rows, columns = rows+r, max(columns, k)
		}
	}
	return rows, columns
}

// unspan makes all cells of a table take one place each.
func unspan(n *html.Node) {
	for d := range n.Descendants() {
		d.Attr = slices.DeleteFunc(d.Attr, isSpan)
	}
}

func isSpan(a html.Attribute) bool { return a.Key == "colspan" || a.Key == "rowspan" }

// flatten takes the form of a table from it.
func flatten(n *html.Node) {
	for d := range n.Descendants() {
		switch d.DataAtom {
		case atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Table, atom.Caption:
			become(d, atom.Div)
		case atom.Td, atom.Th:
			become(d, atom.Span)
			d.InsertBefore(&html.Node{Type: html.TextNode, Data: " "}, d.FirstChild)
		}
	}
	become(n, atom.Div)
}

// become makes an element another one, with what is in it.
func become(n *html.Node, kind atom.Atom) {
	n.DataAtom, n.Data, n.Attr = kind, kind.String(), nil
}
