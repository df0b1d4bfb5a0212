package text

import "slices"

// Distance returns the Levenshtein distance between a and b in bytes: the number of bytes to
// insert, delete or replace.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	return distances(row, a, b)[len(b)]
}

// DistanceWithin returns the distance between the string part and the most similar substring of the
// string whole.
func DistanceWithin(part, whole string) int {
	return slices.Min(distances(make([]int, len(whole)+1), part, whole))
}

// distances returns, for each index of b, the smallest distance between a and a substring of b that
// ends there. row[i] is the initial cost of a substring that begins at i. distances overwrites row.
func distances(row []int, a, b string) []int {
	for i := range len(a) {
		have := a[i]
		diagonal, left := row[0], row[0]+1
		row[0] = left
		rest := row[1:][:len(b)]
		for j := range rest {
			above := rest[j]
			if b[j] != have {
				diagonal++
			}
			left = min(diagonal, left+1, above+1)
			diagonal, rest[j] = above, left
		}
	}
	return row
}
