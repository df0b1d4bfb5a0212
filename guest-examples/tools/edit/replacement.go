package edit

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

// maxPlaces limits the number of matches that an error lists.
const maxPlaces = 10

// replacement is one edit of a text.
type replacement struct {
	search
	insert insertion
	// only is the match to replace if it is the only match and is known; otherwise nil.
	only *span
}

// changes yields each match and its replacement.
func (r replacement) changes() iter.Seq2[span, []byte] {
	return func(yield func(span, []byte) bool) {
		if r.only != nil {
			yield(*r.only, r.insert.text(*r.only))
			return
		}
		for m := range r.matches() {
			if !yield(m, r.insert.text(m)) {
				return
			}
		}
	}
}

// checkPlaces counts the matches. It returns an error if the edit does not allow this number of
// matches.
func (r *replacement) checkPlaces(shown string, all, unknown bool) (count int, err error) {
	var places []string
	line, at := 1, 0
	for m := range r.matches() {
		count++
		if r.only = nil; count == 1 {
			r.only = &m
		}
		inside := unknown && r.mayBeInside(m)
		if len(places) < maxPlaces || inside {
			line += bytescan.Count(r.raw[at:m.start], '\n')
			at = m.start
			places = append(places, strconv.Itoa(line))
		}
		if inside {
			return 0, fmt.Errorf("old_string matches line %d of %s after a byte that is not ASCII; since the encoding is unknown, the match may begin inside a character; begin old_string at a space or at the start of a line", line, shown)
		}
	}
	switch {
	case count == 0:
		return 0, r.explainMissing(shown)
	case all:
		return count, nil
	case count > 1:
		if count > maxPlaces {
			places = append(places, "…")
		}
		return 0, fmt.Errorf("old_string matches %d places in %s, at lines %s; include more of the surrounding text to make it unique, or set replace_all to change all",
			count, shown, strings.Join(places, ", "))
	case r.overlaps():
		return 0, fmt.Errorf("old_string matches overlapping places in %s, from line %s on; include more of the surrounding text to make it unique", shown, places[0])
	}
	return count, nil
}

// mayBeInside reports whether the match m may begin within a character of two or four bytes. In
// East Asian encodings the later bytes of a character can equal ASCII bytes from '0' (0x30)
// upwards.
func (r replacement) mayBeInside(m span) bool {
	return m.start > 0 && r.raw[m.start-1] >= utf8.RuneSelf && r.raw[m.start] >= '0'
}

// splice returns the text after all replacements, and the changes.
func (r replacement) splice() (edited []byte, changes []change, err error) {
	edited = make([]byte, 0, len(r.raw)+len(r.insert.uniform))
	at := 0
	for m, inserted := range r.changes() {
		edited = append(edited, r.raw[at:m.start]...)
		start := len(edited)
		edited = append(edited, inserted...)
		changes = addChange(changes, change{m, span{start, len(edited)}})
		if at = m.end; len(edited) > MaxSize {
			return nil, nil, errTooLarge
		}
	}
	return append(edited, r.raw[at:]...), changes, nil
}
