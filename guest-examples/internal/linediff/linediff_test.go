package linediff

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

func numbers(text string) []int {
	var list []int
	for _, c := range text {
		list = append(list, int(c))
	}
	return list
}

func TestChanges(t *testing.T) {
	tests := []struct {
		name, old, new string
		want           []Change
	}{
		{"equal", "abc", "abc", nil},
		{"both empty", "", "", nil},
		{"all inserted", "", "ab", []Change{{0, 0, 0, 2}}},
		{"all deleted", "ab", "", []Change{{0, 2, 0, 0}}},
		{"replaced", "abc", "axc", []Change{{1, 2, 1, 2}}},
		{"at both ends", "bc", "abcd", []Change{{0, 0, 0, 1}, {2, 2, 3, 4}}},
		{"slides to the end", "abb", "abbb", []Change{{3, 3, 3, 4}}},
		{"Myers' example", "abcabba", "cbabac", []Change{{0, 2, 0, 0}, {3, 3, 1, 2}, {5, 6, 4, 4}, {7, 7, 5, 6}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Changes(t.Context(), numbers(tt.old), numbers(tt.new))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(apply(numbers(tt.old), numbers(tt.new), got), numbers(tt.new)) {
				t.Fatalf("%v does not lead from %q to %q", got, tt.old, tt.new)
			}
			if cost(got) != leastCost(numbers(tt.old), numbers(tt.new)) || tt.name != "Myers' example" && !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestChangesAreMinimal compares the number of changed lines with the minimum from leastCost.
func TestChangesAreMinimal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		older, newer := make([]int, random.IntN(15)), make([]int, random.IntN(15))
		for i := range older {
			older[i] = random.IntN(4)
		}
		for i := range newer {
			newer[i] = random.IntN(4)
		}
		got, err := Changes(t.Context(), older, newer)
		if err != nil {
			t.Fatal(err)
		}
		if result := apply(older, newer, got); !slices.Equal(result, newer) {
			t.Fatalf("%v: from %v comes %v, want %v", got, older, result, newer)
		}
		if got, want := cost(got), leastCost(older, newer); got != want {
			t.Fatalf("%v to %v: %d lines change, want %d", older, newer, got, want)
		}
	}
}

func TestChangesEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Changes(ctx, numbers("abc"), numbers("xyz")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// TestChangesAreBounded checks that the search stops after its maximum effort. The texts have only
// the first line in common; all other lines are reported as changed.
func TestChangesAreBounded(t *testing.T) {
	older, newer := make([]int, 200), make([]int, 200)
	for i := range older {
		older[i], newer[i] = i, -i
	}
	got, err := changes(t.Context(), older, newer, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if want := []Change{{1, 200, 1, 200}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func apply(older, newer []int, changes []Change) []int {
	var out []int
	at := 0
	for _, c := range changes {
		out = append(append(out, older[at:c.OldStart]...), newer[c.NewStart:c.NewEnd]...)
		at = c.OldEnd
	}
	return append(out, older[at:]...)
}

func cost(changes []Change) int {
	n := 0
	for _, c := range changes {
		n += c.OldEnd - c.OldStart + c.NewEnd - c.NewStart
	}
	return n
}

func leastCost(older, newer []int) int {
	row := make([]int, len(newer)+1)
	for j := range row {
		row[j] = j
	}
	for i := range older {
		diagonal := row[0]
		row[0] = i + 1
		for j := range newer {
			above := row[j+1]
			if older[i] == newer[j] {
				row[j+1] = diagonal
			} else {
				row[j+1] = 1 + min(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(newer)]
}

func TestNumbers(t *testing.T) {
	split := func(text string) [][]byte { return bytes.SplitAfter([]byte(text), []byte(" ")) }
	older, newer := Numbers(split("a b a"), split("B c b"), bytes.ToLower)
	if !slices.Equal(older, []int{0, 1, 2}) || !slices.Equal(newer, []int{1, 3, 4}) {
		t.Errorf("got %v and %v", older, newer) // "a " and "a" differ, and so do "b " and "b"
	}
}
