package edit

import (
	"bytes"
	"iter"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

// span is a range of bytes. The byte at end is not included.
type span struct{ start, end int }

func (s span) len() int { return s.end - s.start }

// view is a text in the form that is searched.
type view struct {
	raw []byte // the text of the file
	// text is raw, or raw without the carriage returns of its line ends.
	text []byte
	// dropped are the indices in text of line feeds before which a carriage return was removed.
	dropped []int32
}

// newView returns the view of raw for a search. A literal view contains raw unchanged; in other
// views each line end is one line feed.
func newView(raw []byte, literal bool) view {
	if literal || !bytes.Contains(raw, []byte("\r\n")) {
		return view{raw: raw, text: raw}
	}
	v := view{raw: raw, text: make([]byte, 0, len(raw))}
	for rest := raw; ; {
		line, after, found := bytes.Cut(rest, []byte("\r\n"))
		v.text = append(v.text, line...)
		if !found {
			return v
		}
		v.dropped = append(v.dropped, int32(len(v.text)))
		v.text = append(v.text, '\n')
		rest = after
	}
}

// search is a search for a text in a view.
type search struct {
	view
	needle bytescan.Needle
	first  int // the index of the first match in the view's text, or -1
}

func (v view) search(wanted []byte) search {
	needle := bytescan.NewNeedle(wanted, false)
	return search{view: v, needle: needle, first: needle.Index(v.text)}
}

// matches yields the ranges of raw that match, from the start and without overlap.
func (s search) matches() iter.Seq[span] {
	return func(yield func(span) bool) {
		passed := 0
		for start := s.first; start >= 0; {
			end := start + len(s.needle.Text)
			passed = s.pass(passed, start)
			m := span{start: start + passed}
			passed = s.pass(passed, end)
			m.end = end + passed
			if !yield(m) {
				return
			}
			next := s.needle.Index(s.text[end:])
			if next < 0 {
				return
			}
			start = end + next
		}
	}
}

// pass returns how many carriage returns were removed before the index at of the view's text. The
// parameter passed is a lower bound that the caller knows.
func (v view) pass(passed, at int) int {
	for passed < len(v.dropped) && int(v.dropped[passed]) < at {
		passed++
	}
	return passed
}

// overlaps reports whether the second occurrence of the text overlaps the first.
func (s search) overlaps() bool {
	end := min(s.first+2*len(s.needle.Text)-1, len(s.text))
	return bytes.Contains(s.text[s.first+1:end], s.needle.Text)
}
