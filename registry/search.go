package registry

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// searchWords are the texts of a tool in lower case, as Search compares them.
type searchWords struct {
	names       []string // name and aliases
	tags        []string // tags and category
	title       string
	description string
}

func wordsOf(s tool.Spec) searchWords {
	w := searchWords{
		names:       append([]string{s.Name}, s.Aliases...),
		title:       strings.ToLower(s.Title),
		description: strings.ToLower(s.Description),
	}
	for _, tag := range append([]string{s.Category}, s.Tags...) {
		w.tags = append(w.tags, strings.ToLower(tag))
	}
	return w
}

// Search returns the enabled tools that match every word of a query, the best first
// and those equally good by name. A word matches, in this order of weight, a name or
// alias, a tag or the category, the title, the description; whole names and
// beginnings of names weigh more than parts. Case does not count. An empty query
// matches nothing.
func (r *Registry) Search(query string) []Info {
	terms := strings.Fields(strings.ToLower(query))
	type match struct {
		entry *entry
		score int
	}
	var matches []match
	r.mu.RLock()
	for _, e := range r.entries {
		if score := e.words.score(terms); score > 0 && !r.disabled(e) {
			matches = append(matches, match{e, score})
		}
	}
	r.mu.RUnlock()
	slices.SortFunc(matches, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.entry.spec.Name, b.entry.spec.Name))
	})
	infos := []Info{}
	for _, m := range matches {
		infos = append(infos, r.info(m.entry))
	}
	return infos
}

// score is 0 unless every term matches.
func (w searchWords) score(terms []string) int {
	total := 0
	for _, term := range terms {
		s := w.termScore(term)
		if s == 0 {
			return 0
		}
		total += s
	}
	return total
}

func (w searchWords) termScore(term string) int {
	best := 0
	for _, name := range w.names {
		switch {
		case name == term:
			best = max(best, 100)
		case strings.HasPrefix(name, term):
			best = max(best, 60)
		case strings.Contains(name, term):
			best = max(best, 40)
		}
	}
	switch {
	case best > 0:
	case slices.Contains(w.tags, term):
		best = 30
	case strings.Contains(w.title, term):
		best = 20
	case strings.Contains(w.description, term):
		best = 10
	}
	return best
}
