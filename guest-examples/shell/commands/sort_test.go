package commands

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
)

// TestSortByCodes compares sorting by codes with sorting by comparing keys.
func TestSortByCodes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{
		"", "0", "-0", "00", "7", "-7", "7.0", "7.5", "-7.50", ".5", "12345678901234567", "1234567890123456", "123456789012345678",
		"-12345678901234567", "0.12345678901234567", "0.1234567890123456", strings.Repeat("9", 254), strings.Repeat("9", 300), "1e3", "2K", "1G", "JAN", "dec",
		"a", "a\x00", "a\x00b", "abcdefg", "abcdefgh", "abcdefghi", "abcdefgH", "ABCDEFG", "-_", "é", "É", "\xff", "x1", "x10", "x9",
	}
	separators := []string{" ", "  ", "\t", ":", ""}
	for _, options := range []string{
		"", "r", "s", "u", "n", "nr", "ns", "nu", "f", "fr", "d", "i", "df", "M", "h", "g", "V", "b", "z",
		"k2,2", "k2", "k1,1n", "k2n k1,1r", "k1,1 k2,2nr", "k2,2f k1", "t: k2n", "t: k1,1 k2nr u", "k1.2,1.3", "k2b,2r s", "b k2 r",
	} {
		o := sortOptions(options)
		s, complaint := newSorter(o)
		if complaint != "" {
			t.Fatalf("%q: %s", options, complaint)
		}
		for round := range 20 {
			all := &sorting{sorter: s, end: lineEnd(o, "z")}
			var lines [][]byte
			prefix := []string{"", "", "2026-11-30 ", "  "}[round%4]
			for range random.IntN(400) {
				line := prefix
				for range random.IntN(4) {
					line += pieces[random.IntN(len(pieces))] + separators[random.IntN(len(separators))]
				}
				if all.end == 0 {
					line = strings.ReplaceAll(line, "\x00", "")
				}
				lines = append(lines, []byte(line))
				all.data = append(append(all.data, line...), all.end)
			}
			p := newProcess(context.Background(), &command.Env{Stdout: &bytes.Buffer{}}, "sort")
			all.sort(p)
			slices.SortStableFunc(lines, s.compare)
			for i, line := range all.lines {
				if !bytes.Equal(all.text(line), lines[i]) {
					t.Fatalf("sort %s: line %d is %q, want %q", options, i, all.text(line), lines[i])
				}
			}
		}
	}
}

// sortOptions parses words that are each a key, a separator or letters.
func sortOptions(text string) options {
	var o options
	for _, word := range strings.Fields(text) {
		if value := word[1:]; word[0] == 'k' || word[0] == 't' {
			o = append(o, option{name: word[:1], value: value})
			continue
		}
		for _, letter := range strings.Split(word, "") {
			o = append(o, option{name: letter})
		}
	}
	return o
}
