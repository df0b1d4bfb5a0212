package catalogue

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
	"unique"

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
type hit struct {
	at, score int
	lacks     uint16 // a bit for each term that the tool does not have as it is
}

// find returns the tools that have every word of a query, the best first and equally good
// ones in the order of tools. It walks over the tools once for all terms, and once more for
// each term that no tool has as it is.
func find(tools []*Tool, query string) []hit {
	terms := queryTerms(query)
	if len(terms) == 0 {
		return nil
	}
	exact := make([]matcher, len(terms))
	for i, term := range terms {
		exact[i] = exactly(term)
	}
	hits := make([]hit, 0, len(tools))
	var there uint16 // a bit for each term that some tool has as it is
	for at, t := range tools {
		h := hit{at: at}
		for i, m := range exact {
			bit := uint16(1) << i
			if h.lacks&there != 0 && there&bit != 0 {
				continue // the tool is out, and nothing is to be learned of the term
			}
			if best := m.best(t); best > 0 {
				there |= bit
				h.score += best
			} else {
				h.lacks |= bit
			}
		}
		if h.lacks&there == 0 {
			hits = append(hits, h)
		}
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return h.lacks&there != 0 })
	for i, term := range terms {
		if there&(1<<i) == 0 {
			hits = nearly(term).keep(hits, tools)
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(b.score-a.score, a.at-b.at) })
	return hits
}

// matcher matches words of tools with a word of a query.
type matcher struct {
	// letters are those of the word of the query. Words that lack more than lacking of them, or
	// have more than extra others, do not match; most are told apart by that.
	letters        uint64
	lacking, extra int
	// weigh says how much another word counts; 0 is no match.
	weigh func(word) int
}

// keep returns the hits whose tools match, in the place of hits, with the best weight added to
// their scores.
func (m matcher) keep(hits []hit, tools []*Tool) []hit {
	kept := hits[:0]
	for _, h := range hits {
		if best := m.best(tools[h.at]); best > 0 {
			h.score += best
			kept = append(kept, h)
		}
	}
	return kept
}

// best returns the weight of the tool's best match.
func (m matcher) best(t *Tool) int {
	best := 0
	for i, letters := range t.letters {
		if bits.OnesCount64(m.letters&^letters) <= m.lacking && bits.OnesCount64(letters&^m.letters) <= m.extra {
			best = max(best, m.weigh(t.words[i]))
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
	return matcher{letters: lettersOf(term), extra: 64, weigh: func(w word) int {
		switch text := w.text.Value(); {
		case text == term:
			return weights[w.field][whole]
		case strings.HasPrefix(text, term):
			return weights[w.field][beginning]
		case parts && strings.Contains(text, term):
			return weights[w.field][part]
		}
		return 0
	}}
}

// nearly matches words that are a slip or a few away from the word of a query.
func nearly(term string) matcher {
	runes := []rune(term)
	limit := suggest.MaxSlips(len(runes))
	known := make(map[unique.Handle[string]]int)
	return matcher{letters: lettersOf(term), lacking: limit, extra: limit, weigh: func(w word) int {
		slips, ok := known[w.text]
		if !ok {
			slips = limit + 1
			other := []rune(w.text.Value())
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
	text  unique.Handle[string] // tools share many words
	field field
}

// lettersOf has a bit for each letter; those of ASCII and digits do not share one.
func lettersOf(text string) uint64 {
	var set uint64
	for _, r := range text {
		set |= 1 << (uint32(r) % 39)
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
					words = append(words, word{unique.Make(w), f})
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
const maxTerms = 16 // at most the bits of hit.lacks

// queryTerms returns the different words of a query. A word that is like a name is one.
func queryTerms(query string) []string {
	var terms []string
	for field := range strings.FieldsSeq(strings.ToLower(query)) {
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
