package webfetch

import (
	"regexp"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits on the moves of a streamed page.
const (
	maxMoves = 200
	// maxTree limits the depth of the tree, as the parser does.
	maxTree = 512
)

// streamCall matches a call with which React shows a part of a page that the server sent later. The
// part is a hidden element. $RS("S:1","P:1") moves its content to the template with the ID P:1, and
// $RC("B:0","S:0") to the template with the ID B:0, whose provisional content it replaces.
const streamCall = `\$R([CRS])\("([^"\\]{1,100})","([^"\\]{1,100})"`

// showStreamed moves the parts of a streamed page to their places, as the scripts of the page do.
func showStreamed(root *html.Node) {
	calls := streamCalls(root)
	if len(calls) == 0 {
		return
	}
	byID := map[string]*html.Node{}
	for n := range root.Descendants() {
		if id := attribute(n, "id"); id != "" && byID[id] == nil {
			byID[id] = n
		}
	}
	for _, call := range calls {
		place, part := byID[call[2]], byID[call[3]]
		if call[1] == "S" {
			place, part = part, place
		}
		if place == nil || part == nil || place.DataAtom != atom.Template || depth(place)+height(part) > maxTree || isWithin(place, part) {
			continue
		}
		if call[1] != "S" {
			removeProvisional(place)
		}
		for part.FirstChild != nil {
			child := part.FirstChild
			part.RemoveChild(child)
			place.Parent.InsertBefore(child, place)
		}
	}
}

// streamCalls returns the matches of streamCall in the scripts of the page.
func streamCalls(root *html.Node) [][]string {
	call := regexp.MustCompile(streamCall)
	var calls [][]string
	for n := range root.Descendants() {
		if n.DataAtom == atom.Script {
			calls = append(calls, call.FindAllStringSubmatch(inner(n), maxMoves-len(calls))...)
		}
		if len(calls) == maxMoves {
			break
		}
	}
	return calls
}

// removeProvisional removes what React shows until a part of the page arrives: the nodes after the
// template, up to the comment that ends them.
func removeProvisional(place *html.Node) {
	nested := 0
	for n := place.NextSibling; n != nil; {
		next := n.NextSibling
		if n.Type == html.CommentNode {
			switch n.Data {
			case "$", "$?", "$!", "$~":
				nested++
			case "/$":
				if nested == 0 {
					return
				}
				nested--
			}
		}
		place.Parent.RemoveChild(n)
		n = next
	}
}

// depth returns the number of ancestors of n.
func depth(n *html.Node) int {
	count := 0
	for range n.Ancestors() {
		count++
	}
	return count
}

// height returns the number of levels below n.
func height(n *html.Node) int {
	levels := 0
	for c := range n.ChildNodes() {
		levels = max(levels, 1+height(c))
	}
	return levels
}

// isWithin reports whether n is inside outer, or is outer itself.
func isWithin(n, outer *html.Node) bool {
	for a := range n.Ancestors() {
		if a == outer {
			return true
		}
	}
	return n == outer
}
