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

// Search returns the enabled tools that match every word of a query, best match first and equal
// matches by name. It returns at most limit tools; 0 or less means no limit.
//
// A word can match, in decreasing order of weight, a name or alias, a tag or the category, the
// title, or the description. Whole words and beginnings of words weigh more than parts. A query
// word needs at least three letters to match a part. If a word matches no tool exactly, Search also
// accepts words with one or two typing errors. Case is ignored. An empty query matches nothing.
// Search ignores all but the first 16 words of a query.
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

// hit is a matching tool; at is its index among all tools.
type hit struct {
	at, score int
	lacks     uint16 // a bit for each term that the tool does not match exactly
}

// find returns the tools that match every word of a query, best match first and equal matches in
// the order of tools. It walks over the tools once for all terms, and once more for each term that
// no tool matches exactly.
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
	var matched uint16 // a bit for each term that some tool matches exactly
	for at, t := range tools {
		h := hit{at: at}
		for i, m := range exact {
			bit := uint16(1) << i
			if h.lacks&matched != 0 && matched&bit != 0 {
				continue // this tool is already excluded, and another tool matches this term
			}
			if best := m.best(t); best > 0 {
				matched |= bit
				h.score += best
			} else {
				h.lacks |= bit
			}
		}
		if h.lacks&matched == 0 {
			hits = append(hits, h)
		}
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return h.lacks&matched != 0 })
	for i, term := range terms {
		if matched&(1<<i) == 0 {
			hits = nearly(term).keep(hits, tools)
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(b.score-a.score, a.at-b.at) })
	return hits
}

// matcher matches words of tools against a word of a query.
type matcher struct {
	// letters is the set of letters in the query's word. A word cannot match if it is missing more
	// than `lacking` of these letters, or has more than `extra` others. This cheap check excludes
	// most words.
	letters        uint64
	lacking, extra int
	// weigh returns the weight of a match with a word; 0 means no match.
	weigh func(word) int
}

// keep returns the hits whose tools match, and adds the weight of the tool's best match to the
// score of each. It reuses the memory of hits.
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

// minPart is the min number of letters of a query word that matches parts of words or may have
// typing errors.
const minPart = 3

// exactly returns a matcher for words that equal, begin with, or contain the word of a query.
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

// nearly returns a matcher for words that differ from the word of a query by a few typing errors.
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

// field is the field of a tool that contains a word. Earlier fields weigh more.
type field uint8

const (
	inName       field = iota // a whole name or alias, which counts as one word
	inPartOfName              // a word of a name or alias
	inTag                     // a word of a tag or the category
	inTitle
	inDescription
	fields
)

// quality is the quality of a match.
type quality uint8

const (
	whole quality = iota
	beginning
	part
	slip
	qualities
)

// weights are the weights of matches. A slip is a match with typing errors; its weight is compared
// only with the weights of other slips.
var weights = [fields][qualities]int{
	inName:        {100, 60, 40, 30},
	inPartOfName:  {70, 50, 40, 25},
	inTag:         {30, 28, 26, 15},
	inTitle:       {20, 18, 16, 8},
	inDescription: {10, 9, 7, 4},
}

// word is a word of a tool.
type word struct {
	text  unique.Handle[string] // interned, because tools share many words
	field field
}

// lettersOf returns a set of the letters in a text, with a bit for each letter. Lower-case ASCII
// letters and digits have different bits.
func lettersOf(text string) uint64 {
	var set uint64
	for _, r := range text {
		set |= 1 << (uint32(r) % 39)
	}
	return set
}

// wordsOf returns the distinct words of a tool, each with the field that weighs most.
func wordsOf(s tool.Spec) []word {
	names := append([]string{s.Name}, s.Aliases...)
	texts := [fields][]string{
		inName: names, inPartOfName: names, inTag: append([]string{s.Category}, s.Tags...),
		inTitle: {s.Title}, inDescription: {s.Description},
	}
	var words []word
	seen := make(map[string]bool)
	for f := range fields { // the field that weighs most comes first
		for _, text := range texts[f] {
			parts := split(text)
			if f == inName {
				parts = []string{text} // names are always in lower case
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

// maxWord is the max length of a word in bytes. Longer words are cut.
const maxWord = 64

// split returns the words of a text in lower case.
func split(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range list {
		if len(w) > maxWord {
			list[i] = strings.ToValidUTF8(w[:maxWord], "")
		}
	}
	return list
}

// maxTerms is the max number of query words that Search uses. hit.lacks has a bit for each.
const maxTerms = 16

// queryTerms returns the distinct words of a query. A word that has the form of a tool's name is
// not split.
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
