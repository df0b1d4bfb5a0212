package webfetch

import (
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// contentOf tidies a page and returns its main content: the longest element for which isMain
// returns true, if that has at least a third of the text. Otherwise it returns the body without
// parts such as navigation. mainOnly reports that the content lacks parts of the page.
func contentOf(root *html.Node, at *url.URL) (content *html.Node, mainOnly bool) {
	t := tidier{base: baseOf(root, at)}
	t.tidy(root, 0)
	body := find(root, func(n *html.Node) bool { return n.DataAtom == atom.Body })
	if body == nil {
		return root, false
	}
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
	case atom.Nav, atom.Aside, atom.Footer, atom.Header:
		return true
	}
	switch attribute(n, "role") {
	case "navigation", "banner", "contentinfo", "complementary", "search":
		return true
	}
	return false
}

// find returns the first node for which is returns true.
func find(root *html.Node, is func(*html.Node) bool) *html.Node {
	for n := range root.Descendants() {
		if is(n) {
			return n
		}
	}
	return nil
}

// collect returns the nodes for which is returns true. It does not search inside these nodes.
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
