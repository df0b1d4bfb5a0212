package searchindex

import (
	"math/bits"
	"strings"

	"github.com/wasmtool/wasmtool/internal/suggest"
)

// How a word of a query is matched.
type quality uint8

const (
	whole quality = iota
	beginning
	part
	slip
	qualities
)

// scores say how much a match weighs. That of a slip is never beside others.
var scores = [fields][qualities]int32{
	Name:        {100, 60, 40, 30},
	PartOfName:  {70, 50, 40, 25},
	Tag:         {30, 28, 26, 15},
	Title:       {20, 18, 16, 8},
	Description: {10, 9, 7, 4},
}

// match notes for each tool the best match of a word of a query.
func (x *Index) match(term *word, best []int32) {
	found := false
	holds := len(term.runes) >= 3
	for _, w := range x.words {
		if term.letters&^w.letters != 0 {
			continue // it lacks a letter
		}
		if q, ok := compare(w.text, term.text, holds); ok {
			w.score(best, q, 0)
			found = true
		}
	}
	if found || !holds {
		return
	}
	limit := suggest.MaxSlips(len(term.runes))
	for _, w := range x.words {
		if slips := w.slips(term, limit); slips <= limit {
			w.score(best, slip, int32(slips-1))
		}
	}
}

func compare(text, term string, holds bool) (quality, bool) {
	switch {
	case !strings.HasPrefix(text, term):
		return part, holds && strings.Contains(text, term)
	case len(text) == len(term):
		return whole, true
	}
	return beginning, true
}

// score notes a match for all that have the word.
func (w *word) score(best []int32, q quality, less int32) {
	for _, p := range w.posts {
		best[p.doc] = max(best[p.doc], scores[p.field][q]-less)
	}
}

// slips is how many slips lie between two words, or more than limit. A slip changes one
// letter into another at most, so that most words are told apart by their letters.
func (w *word) slips(term *word, limit int) int {
	if difference := len(w.runes) - len(term.runes); difference > limit || -difference > limit ||
		bits.OnesCount64(w.letters^term.letters) > 2*limit {
		return limit + 1
	}
	return suggest.Distance(w.runes, term.runes, limit)
}
