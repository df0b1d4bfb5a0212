// Package suggest finds the word that somebody probably meant, for the
// "did you mean" of error texts.
package suggest

import (
	"strings"
	"unicode/utf8"
)

// maxRunes is the longest word that is compared. Nobody mistypes a longer one.
const maxRunes = 128

// Nearest returns the candidate that word is most likely a slip for, or "" when
// none is near. Near means: equal but for case, or about one slip (a letter
// added, left out, changed, or swapped with its neighbour) for each three
// letters, and never more than three. Of equally near candidates the first wins.
// A candidate equal to word is returned as it is. It is safe for concurrent use.
func Nearest(word string, candidates []string) string {
	length := utf8.RuneCountInString(word)
	if length == 0 || length > maxRunes {
		return ""
	}
	folded := []rune(strings.ToLower(word))
	limit := MaxSlips(length)
	best := ""
	for _, candidate := range candidates {
		runes := utf8.RuneCountInString(candidate)
		if candidate == word {
			return candidate
		}
		if runes == 0 || runes > length+limit || length > runes+limit {
			continue
		}
		// A slip in each letter of a short candidate makes any word near.
		d := Distance(folded, []rune(strings.ToLower(candidate)), limit)
		if d <= limit && d < max(length, runes) {
			best, limit = candidate, d-1
		}
	}
	return best
}

// MaxSlips is how many slips a word of so many letters may have to be near another.
func MaxSlips(letters int) int { return min(max(1, letters/3), 3) }

// Distance is the number of slips between a and b (optimal string alignment), or
// some number above limit when there are more than that. It looks only at
// alignments that shift by at most limit, so it takes time linear in the words.
func Distance(a, b []rune, limit int) int {
	older := make([]int, len(b)+1)
	old := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := range a {
		first, last := max(0, i-limit), min(len(b), i+limit+1)
		row[first] = limit + 1
		if first == 0 {
			row[0] = i + 1
		}
		for j := first; j < last; j++ {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			best := min(old[j]+cost, row[j]+1)
			if j < i+limit { // above lies inside the last row's band
				best = min(best, old[j+1]+1)
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				best = min(best, older[j-1]+1)
			}
			row[j+1] = best
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}
