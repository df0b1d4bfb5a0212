package webfetch

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits on constructs whose converted text can be much longer than the page.
const (
	// maxIndents limits the nesting of lists and quotations, because each level indents its
	// content.
	maxIndents = 6
	// maxColumns limits the number of columns of a table, and maxCells the number of cells. In the
	// output, all rows have as many cells as the longest row.
	maxColumns = 64
	maxCells   = 50_000
	// A cell that spans several rows or columns shifts other cells, which makes all rows longer.
	// maxSpan limits the rows or columns that one cell may span. maxSpans limits the total number
	// of cells that such cells of a page may cover. maxSpannedRows limits the rows of a table that
	// has such cells.
	maxSpan        = 16
	maxSpans       = 20_000
	maxSpannedRows = 500
	// maxLink limits the length in bytes of a URL. A longer URL is removed.
	maxLink = 2048
)

// tidier removes invisible parts of a tree, makes links absolute, and simplifies constructs whose
// converted text would be very long.
type tidier struct {
	base  *url.URL
	spans int
	// hidden is the number of letters in elements that were removed because they are not visible.
	hidden int
	// noscript has the content of the elements noscript, as HTML.
	noscript strings.Builder
}

// notShown are elements whose text is not visible.
var notShown = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Frame: true,
	atom.Object: true, atom.Embed: true, atom.Applet: true, atom.Svg: true, atom.Canvas: true, atom.Audio: true, atom.Video: true,
	atom.Link: true, atom.Meta: true, atom.Title: true, atom.Map: true, atom.Input: true, atom.Select: true,
	atom.Textarea: true, atom.Datalist: true, atom.Progress: true, atom.Meter: true,
}

// tidy tidies all nodes in n. indents is the number of lists and quotations that contain n.
func (t *tidier) tidy(n *html.Node, indents int) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type == html.ElementNode && isHidden(c):
			t.hidden += letters(c)
			n.RemoveChild(c)
		case c.Type == html.CommentNode, c.Type == html.ElementNode && isNotShown(c):
			if c.DataAtom == atom.Noscript {
				t.noscript.WriteString(inner(c)) // the parser leaves it as one text
			}
			n.RemoveChild(c)
		case c.Type == html.ElementNode:
			t.element(c, indents)
		}
		c = next
	}
}

// isNotShown reports whether the text of an element is not visible, or belongs to a control.
func isNotShown(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Button:
		return !isLabel(n)
	case atom.Dialog:
		return !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "open" })
	}
	return notShown[n.DataAtom]
}

// isLabel reports whether a button is in a heading, in the label of a section that can be opened,
// or in the header of a column.
func isLabel(n *html.Node) bool {
	for a := range n.Ancestors() {
		switch a.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Summary, atom.Dt, atom.Th:
			return true
		}
	}
	return false
}

// replaced are elements that look like another element, which the converter knows.
var replaced = map[atom.Atom]atom.Atom{
	atom.Center: atom.Div, atom.Dialog: atom.Div, atom.Hgroup: atom.Div, atom.Legend: atom.Div, atom.Summary: atom.Div,
	atom.Listing: atom.Pre, atom.Button: atom.Span,
}

func (t *tidier) element(n *html.Node, indents int) {
	switch n.DataAtom {
	case atom.Menu, atom.Dir:
		become(n, atom.Ul)
		fallthrough
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
	if other, ok := replaced[n.DataAtom]; ok {
		become(n, other)
	}
	if n.DataAtom == atom.A && strings.TrimSpace(inner(n)) == "" && find(n, func(c *html.Node) bool { return c.DataAtom == atom.Img }) == nil {
		remove(n) // a link symbol
	}
}

// isHidden reports whether the markup of the page makes the element invisible.
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

// link makes the URL in the attribute name absolute. It removes a URL that can't be used or that
// refers to the same page.
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

// span reduces the number of rows and columns that a cell spans to the limits.
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

// measure counts the rows of a table and the cells of its longest row, without nested tables.
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

// unspan removes the spans of all cells of a table.
func unspan(n *html.Node) {
	for d := range n.Descendants() {
		d.Attr = slices.DeleteFunc(d.Attr, isSpan)
	}
}

func isSpan(a html.Attribute) bool { return a.Key == "colspan" || a.Key == "rowspan" }

// flatten replaces a table with its content.
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

// become changes the type of an element and keeps its content.
func become(n *html.Node, kind atom.Atom) {
	n.DataAtom, n.Data, n.Attr = kind, kind.String(), nil
}
