// Package suggest finds the word that was probably meant, for the "did you mean" of error messages.
package suggest

import (
	"strings"
	"unicode/utf8"
)

// maxRunes limits the length of the words that are compared. Longer words are not typed by hand.
const maxRunes = 128

// Nearest returns the candidate that the given word most likely misspells, or "" if none is near. A
// candidate is near if it differs only in case, or by at most one slip for every three letters. It
// is never near with more than three slips. A slip is a letter that is added, left out, changed, or
// swapped with its neighbour. If several candidates are equally near, the first wins. A candidate
// that equals the word is always returned. Nearest is safe for concurrent use.
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
		// Without the comparison with max(length, runes), every word would be near a very short
		// candidate.
		d := Distance(folded, []rune(strings.ToLower(candidate)), limit)
		if d <= limit && d < max(length, runes) {
			best, limit = candidate, d-1
		}
	}
	return best
}

// MaxSlips returns the maximum number of slips for which another word is still near a word with
// that many letters.
func MaxSlips(letters int) int { return min(max(1, letters/3), 3) }

// Distance returns the number of slips between a and b (the optimal string alignment distance), or
// some number above limit if there are more. It considers only alignments that shift by at most
// limit, so its time is linear in the length of the words.
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
			if j < i+limit { // in the previous row, the cell above is inside the band
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
