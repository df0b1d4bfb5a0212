package webfetch

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// minHidden is the minimum number of hidden letters for which a note is written.
const minHidden = 200

// contentOf tidies a page and returns its main content: the longest element for which isMain
// returns true, if that has at least a third of the text. Otherwise it returns the body without
// parts such as navigation. mainOnly reports that the content lacks parts of the page. The notes
// say that scripts, which are not run, would show more.
func contentOf(root *html.Node, at *url.URL) (content *html.Node, mainOnly bool, notes []string) {
	showStreamed(root)
	t := &tidier{base: baseOf(root, at)}
	t.tidy(root, 0)
	body := find(root, func(n *html.Node) bool { return n.DataAtom == atom.Body })
	if body == nil {
		return root, false, nil
	}
	if t.addNoscript(body) {
		notes = append(notes, "the page has more text for browsers that run no scripts, so this includes it")
	}
	content, mainOnly = mainContent(body)
	if t.hidden >= minHidden && t.hidden > letters(content) {
		notes = append(notes, fmt.Sprintf("the page hides %d letters until a script shows them; use format=html to see them", t.hidden))
	}
	return content, mainOnly, notes
}

// addNoscript appends the content of the elements noscript to the body if it is longer than the
// rest, and reports whether it did. Most such elements only ask the reader to turn on scripts.
func (t *tidier) addNoscript(body *html.Node) bool {
	if t.noscript.Len() == 0 {
		return false
	}
	nodes, err := html.ParseFragment(strings.NewReader(t.noscript.String()), body)
	if err != nil {
		return false // nested too deeply
	}
	added := &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: "div"}
	for _, n := range nodes {
		added.AppendChild(n)
	}
	t.tidy(added, 0)
	if letters(added) <= letters(body) {
		return false
	}
	body.AppendChild(added)
	return true
}

// mainContent returns the main content of a tidied body; see contentOf.
func mainContent(body *html.Node) (content *html.Node, mainOnly bool) {
	all := letters(body)
	best, limit := (*html.Node)(nil), 0
	for n := range body.Descendants() {
		if isMain(n) {
			if count := letters(n); count > limit {
				best, limit = n, count
			}
		}
	}
	// A main element with less than a third of the text is not the content. An example is a page of
	// many short articles, such as a news page.
	const share = 3
	if best != nil && limit > 0 && limit*share >= all {
		return best, true
	}
	around := collect(body, isAround)
	left := all
	for _, n := range around {
		left -= letters(n)
	}
	if len(around) == 0 || left*share < all {
		return body, false // no other parts were found, or the content is nearly empty
	}
	for _, n := range around {
		remove(n)
	}
	return body, true
}

// isMain reports whether n is an element that marks the main content.
func isMain(n *html.Node) bool {
	return n.Type == html.ElementNode && (n.DataAtom == atom.Main || n.DataAtom == atom.Article || attribute(n, "role") == "main")
}

// isAround reports whether n is an element around the main content, such as navigation.
func isAround(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	switch n.DataAtom {
	case atom.Nav, atom.Aside, atom.Footer, atom.Header, atom.Search:
		return true
	}
	switch attribute(n, "role") {
	case "navigation", "banner", "contentinfo", "complementary", "search":
		return true
	}
	return false
}

// find returns the first node for which the function is returns true.
func find(root *html.Node, is func(*html.Node) bool) *html.Node {
	for n := range root.Descendants() {
		if is(n) {
			return n
		}
	}
	return nil
}

// collect returns the nodes for which the function is returns true. It does not search inside these
// nodes.
func collect(n *html.Node, is func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if is(c) {
			found = append(found, c)
		} else {
			found = append(found, collect(c, is)...)
		}
	}
	return found
}

// letters returns the number of characters in the text of a node, without white space.
func letters(n *html.Node) int {
	count := 0
	for d := range n.Descendants() {
		if d.Type != html.TextNode {
			continue
		}
		for _, r := range d.Data {
			if !unicode.IsSpace(r) {
				count++
			}
		}
	}
	return count
}

// baseOf returns the base URL for relative links of a page.
func baseOf(root *html.Node, at *url.URL) *url.URL {
	base := find(root, func(n *html.Node) bool { return n.DataAtom == atom.Base && attribute(n, "href") != "" })
	if base == nil {
		return at
	}
	if u, err := at.Parse(attribute(base, "href")); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return u
	}
	return at
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

func remove(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}
