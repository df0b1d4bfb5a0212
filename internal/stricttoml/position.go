package stricttoml

import (
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// document is the content of a file, with the offsets of its lines. Positions are computed from
// these offsets.
type document struct {
	text []byte
	// lines holds the offset at which each line starts.
	lines []int
}

func newDocument(text []byte) document {
	lines := []int{0}
	for i, c := range text {
		if c == '\n' {
			lines = append(lines, i+1)
		}
	}
	return document{text, lines}
}

// position returns the line and column of a byte offset. Both start at 1, and the column counts
// characters. Both are 0 for WholeFile.
func (d document) position(offset int) (line, column int) {
	if offset == WholeFile {
		return 0, 0
	}
	offset = min(max(offset, 0), len(d.text))
	line = sort.SearchInts(d.lines, offset+1)
	return line, utf8.RuneCount(d.text[d.lines[line-1]:offset]) + 1
}

// Place is the path of a key and its position in the file.
type Place struct {
	// Key is the dotted path, "" for the root.
	Key string
	// Offset is a byte offset, or WholeFile.
	Offset int
}

// WholeFile is the Offset of an error that has no line and column.
const WholeFile = -1

// Member returns the place of a key inside the table at p.
func (p Place) Member(name string, offset int) Place {
	if !bareKey(name) {
		name = Quote(name)
	} else {
		name = plaintext.Excerpt(name, MaxQuoted)
	}
	if p.Key == "" {
		return Place{name, offset}
	}
	return Place{p.Key + "." + name, offset}
}

// Item returns the place of an element of the list at p.
func (p Place) Item(index, offset int) Place {
	return Place{p.Key + "[" + strconv.Itoa(index) + "]", offset}
}

// bareKey reports whether a key needs no quotes in TOML.
func bareKey(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return name != ""
}
