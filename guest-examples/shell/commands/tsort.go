package commands

import (
	"errors"
	"strings"
)

var tsort = spec{name: "tsort", synopsis: "[FILE]", options: "", run: runTsort}

func runTsort(p *process, _ options, files []string) int {
	name := "-"
	switch len(files) {
	case 0:
	case 1:
		name = files[0]
	default:
		return p.fail("extra operand '%s'", files[1])
	}
	data, err := p.readFile(name)
	if err != nil {
		return p.fail("%s: %s", name, message(err))
	}
	g, err := readGraph(strings.Fields(string(data)))
	if err != nil {
		return p.fail("%s: %v", name, err)
	}
	g.sort(p, name)
	return p.status
}

// graph has the items of tsort, in order of appearance.
type graph struct {
	items []*graphItem
}

type graphItem struct {
	name    string
	before  int // the number of items that must come before this one and are not printed yet
	after   []*graphItem
	printed bool
}

// readGraph reads pairs of items. The first of a pair comes before the second, unless both are the
// same.
func readGraph(words []string) (*graph, error) {
	if len(words)%2 != 0 {
		return nil, errors.New("input contains an odd number of tokens")
	}
	g, known := &graph{}, map[string]*graphItem{}
	item := func(name string) *graphItem {
		if known[name] == nil {
			known[name] = &graphItem{name: name}
			g.items = append(g.items, known[name])
		}
		return known[name]
	}
	for i := 0; i < len(words); i += 2 {
		first, second := item(words[i]), item(words[i+1])
		if first != second {
			first.after = append(first.after, second)
			second.before++
		}
	}
	return g, nil
}

// sort prints each item after those before it. In a loop, it reports the items and ignores one
// pair.
func (g *graph) sort(p *process, file string) {
	var queue []*graphItem
	for _, item := range g.items {
		if item.before == 0 {
			queue = append(queue, item)
		}
	}
	for left := len(g.items); left > 0 && !p.stopped(); left-- {
		if len(queue) == 0 {
			queue = append(queue, g.breakLoop(p, file))
		}
		item := queue[0]
		queue = queue[1:]
		p.print(item.name + "\n")
		item.printed = true
		for _, next := range item.after {
			if next.before--; next.before == 0 && !next.printed {
				queue = append(queue, next)
			}
		}
	}
}

// breakLoop reports a loop and returns an item of it, to be printed next.
func (g *graph) breakLoop(p *process, file string) *graphItem {
	previous := map[*graphItem]*graphItem{}
	var item *graphItem
	for _, candidate := range g.items {
		if candidate.printed {
			continue
		}
		if item == nil {
			item = candidate
		}
		for _, next := range candidate.after {
			if !next.printed && previous[next] == nil {
				previous[next] = candidate
			}
		}
	}
	seen := map[*graphItem]bool{}
	for !seen[item] { // walk back until an item is met again, which is in the loop
		seen[item] = true
		item = previous[item]
	}
	p.errorf("%s: input contains a loop:", file)
	for member := item; ; {
		p.errorf("%s", member.name)
		if member = previous[member]; member == item {
			break
		}
	}
	item.before = 0
	return item
}
