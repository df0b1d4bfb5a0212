package webfetch

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// blocks are the elements that begin on a new line. If the value of an element is true, there is
// also an empty line before and after the element.
var blocks = map[atom.Atom]bool{
	atom.P: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Pre: true,
	atom.Blockquote: true, atom.Ul: true, atom.Ol: true, atom.Dl: true, atom.Table: true, atom.Hr: true, atom.Article: true, atom.Section: true,
	atom.Div: false, atom.Li: false, atom.Tr: false, atom.Dt: false, atom.Dd: false, atom.Main: false, atom.Header: false, atom.Footer: false,
	atom.Nav: false, atom.Aside: false, atom.Address: false, atom.Figure: false, atom.Figcaption: false, atom.Form: false, atom.Fieldset: false,
	atom.Caption: false, atom.Details: false, atom.Search: false, atom.Thead: false, atom.Tbody: false, atom.Tfoot: false, atom.Body: false,
}

// plainText writes the text of a tidied tree, without links and markup.
func plainText(n *html.Node) string {
	w := &textWriter{}
	w.node(n, false)
	return strings.TrimSpace(w.b.String())
}

// textWriter writes text with single spaces. It starts a new line where a block begins or ends.
type textWriter struct {
	b strings.Builder
	// lines is the number of line feeds, and space reports whether a space, must precede the next
	// text.
	lines int
	space bool
}

func (w *textWriter) node(n *html.Node, verbatim bool) {
	switch {
	case n.Type == html.TextNode && verbatim:
		w.text(n.Data)
		return
	case n.Type == html.TextNode:
		w.flow(n.Data)
		return
	}
	lines := 0
	if wide, block := blocks[n.DataAtom]; wide {
		lines = 2
	} else if block {
		lines = 1
	}
	w.lines = max(w.lines, lines)
	switch n.DataAtom {
	case atom.Br:
		w.lines = max(w.lines, 1)
	case atom.Li:
		w.text("-")
		w.space = true
	case atom.Td, atom.Th:
		w.space = true
	case atom.Img:
		w.flow(attribute(n, "alt"))
	case atom.Pre:
		verbatim = true
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c, verbatim)
	}
	w.lines = max(w.lines, lines)
}

// flow writes text. It replaces each sequence of white space with one space.
func (w *textWriter) flow(text string) {
	words := strings.Fields(text)
	if len(words) == 0 {
		w.space = w.space || text != ""
		return
	}
	if text[0] == ' ' || text[0] == '\n' || text[0] == '\t' || text[0] == '\r' {
		w.space = true
	}
	w.text(strings.Join(words, " "))
	last := text[len(text)-1]
	w.space = last == ' ' || last == '\n' || last == '\t' || last == '\r'
}

// text writes pending line feeds and spaces, and then text unchanged.
func (w *textWriter) text(text string) {
	switch {
	case w.b.Len() == 0:
	case w.lines > 0:
		w.b.WriteString("\n\n"[:min(w.lines, 2)])
	case w.space:
		w.b.WriteByte(' ')
	}
	w.lines, w.space = 0, false
	w.b.WriteString(text)
}
