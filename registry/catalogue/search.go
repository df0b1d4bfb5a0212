package catalogue

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/suggest"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Search returns the enabled tools that match every word of a query, the best first
// and those equally good by name, at most limit of them; 0 and less mean all. A word matches,
// in this order of weight, a name or alias, a tag or the category, the title, the
// description; whole words and beginnings of words weigh more than parts, which count from
// three letters on. A word that matches nothing may have a slip or two. Case does not count.
// An empty query matches nothing, and of a long one the first 16 words count.
func (c *Catalogue) Search(query string, limit int) []Info {
	infos := []Info{}
	tools := c.all()
	for _, h := range find(tools, query) {
		if limit > 0 && len(infos) == limit {
			break
		}
		if t := tools[h.at]; !c.disabled(t) {
			infos = append(infos, c.info(t))
		}
	}
	return infos
}

// hit is a tool that was found, at its place among all.
type hit struct{ at, score int }

// find returns the tools that have every word of a query, the best first and equally good
// ones in the order of tools.
func find(tools []*Tool, query string) []hit {
	terms := queryTerms(query)
	if len(terms) == 0 {
		return nil
	}
	hits := make([]hit, len(tools))
	for at := range hits {
		hits[at].at = at
	}
	for _, term := range terms {
		exact := exactly(term)
		matched := exact.keep(hits, tools)
		if len(matched) == 0 && !slices.ContainsFunc(tools, func(t *Tool) bool { return exact.best(t) > 0 }) {
			matched = nearly(term).keep(hits, tools)
		}
		hits = matched
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(b.score-a.score, a.at-b.at) })
	return hits
}

// matcher matches words of tools with a word of a query.
type matcher struct {
	// letters are those of the word of the query. Words of tools that lack more than lacking
	// of them do not match; most are told apart by that.
	letters uint64
	lacking int
	// weigh says how much another word counts; 0 is no match.
	weigh func(word) int
}

// keep returns the hits whose tools match, with the best weight added to their scores.
func (m matcher) keep(hits []hit, tools []*Tool) []hit {
	var kept []hit
	for _, h := range hits {
		if best := m.best(tools[h.at]); best > 0 {
			kept = append(kept, hit{h.at, h.score + best})
		}
	}
	return kept
}

// best returns the weight of the tool's best match.
func (m matcher) best(t *Tool) int {
	best := 0
	for _, w := range t.words {
		if bits.OnesCount64(m.letters&^w.letters) <= m.lacking {
			best = max(best, m.weigh(w))
		}
	}
	return best
}

// minPart is how many letters a word of a query has at least that matches parts of words and
// may have slips.
const minPart = 3

// exactly matches words that are, begin with, or hold the word of a query.
func exactly(term string) matcher {
	parts := utf8.RuneCountInString(term) >= minPart
	return matcher{letters: lettersOf(term), weigh: func(w word) int {
		switch {
		case w.text == term:
			return weights[w.field][whole]
		case strings.HasPrefix(w.text, term):
			return weights[w.field][beginning]
		case parts && strings.Contains(w.text, term):
			return weights[w.field][part]
		}
		return 0
	}}
}

// nearly matches words that are a slip or a few away from the word of a query.
func nearly(term string) matcher {
	runes := []rune(term)
	limit := suggest.MaxSlips(len(runes))
	known := make(map[string]int) // tools share many words
	return matcher{letters: lettersOf(term), lacking: limit, weigh: func(w word) int {
		slips, ok := known[w.text]
		if !ok {
			slips = limit + 1
			other := []rune(w.text)
			if difference := len(other) - len(runes); len(runes) >= minPart && max(difference, -difference) <= limit {
				slips = suggest.Distance(other, runes, limit)
			}
			known[w.text] = slips
		}
		if slips > limit {
			return 0
		}
		return weights[w.field][slip] + 1 - slips
	}}
}

// field is where a word stands. Words of an earlier one weigh more.
type field uint8

const (
	inName        field = iota // a whole name, which counts as one word
	inPartOfName               // a word of a name
	inTag                      // a tag or category
	inTitle                    // of the title
	inDescription              // of the description
	fields
)

// quality is how well a word of a query is matched.
type quality uint8

const (
	whole quality = iota
	beginning
	part
	slip
	qualities
)

// weights say how much a match counts. A slip never competes with other qualities.
var weights = [fields][qualities]int{
	inName:        {100, 60, 40, 30},
	inPartOfName:  {70, 50, 40, 25},
	inTag:         {30, 28, 26, 15},
	inTitle:       {20, 18, 16, 8},
	inDescription: {10, 9, 7, 4},
}

// word is a word of a tool.
type word struct {
	text    string
	letters uint64
	field   field
}

// lettersOf has a bit for each letter; letters may share one.
func lettersOf(text string) uint64 {
	var set uint64
	for _, r := range text {
		set |= 1 << (uint32(r) % 64)
	}
	return set
}

// wordsOf returns the different words of a tool, each with its best place.
func wordsOf(s tool.Spec) []word {
	names := append([]string{s.Name}, s.Aliases...)
	texts := [fields][]string{
		inName: names, inPartOfName: names, inTag: append([]string{s.Category}, s.Tags...),
		inTitle: {s.Title}, inDescription: {s.Description},
	}
	var words []word
	seen := make(map[string]bool)
	for f := range fields { // the best first
		for _, text := range texts[f] {
			parts := split(text)
			if f == inName {
				parts = []string{text} // names are in lower case
			}
			for _, w := range parts {
				if !seen[w] {
					seen[w] = true
					words = append(words, word{w, lettersOf(w), f})
				}
			}
		}
	}
	return words
}

// maxWord is the longest word that is kept, in bytes; of longer ones the beginning counts.
const maxWord = 64

// split returns the words of a text, in lower case.
func split(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range list {
		if len(w) > maxWord {
			list[i] = strings.ToValidUTF8(w[:maxWord], "")
		}
	}
	return list
}

// maxTerms is how many words of a query count.
const maxTerms = 16

// queryTerms returns the different words of a query. A word that is like a name is one.
func queryTerms(query string) []string {
	var terms []string
	for _, field := range strings.Fields(strings.ToLower(query)) {
		words := split(field)
		if strings.Trim(field, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" && len(words) > 0 && len(field) <= maxWord {
			words = []string{field}
		}
		for _, w := range words {
			if len(terms) < maxTerms && !slices.Contains(terms, w) {
				terms = append(terms, w)
			}
		}
	}
	return terms
}
