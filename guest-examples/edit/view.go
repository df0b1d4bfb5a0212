package edit

import (
	"bytes"
	"iter"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

// span is a range of bytes, end excluded.
type span struct{ start, end int }

func (s span) len() int { return s.end - s.start }

// view is a text as it is searched.
type view struct {
	raw []byte // the text of the file
	// text is raw, or raw without the carriage returns of its line ends.
	text []byte
	// dropped holds the places in text of the line feeds before which a
	// carriage return was taken out.
	dropped []int32
}

// newView returns the view of raw for a search. A literal one is raw itself; in
// others each line end is one line feed.
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

// matches yields the places in raw at which the text looked for stands, from
// the start on and without overlap.
func (v view) matches(wanted []byte) iter.Seq[span] {
	return func(yield func(span) bool) {
		needle := bytescan.NewNeedle(wanted, false)
		at, passed := 0, 0
		for {
			i := needle.Index(v.text[at:])
			if i < 0 {
				return
			}
			start := at + i
			at = start + len(wanted)
			passed = v.pass(passed, start)
			m := span{start: start + passed}
			passed = v.pass(passed, at)
			m.end = at + passed
			if !yield(m) {
				return
			}
		}
	}
}

// pass returns how many dropped bytes lie before the place at, of which so many
// are known to.
func (v view) pass(passed, at int) int {
	for passed < len(v.dropped) && int(v.dropped[passed]) < at {
		passed++
	}
	return passed
}

// overlaps reports whether wanted, which stands in text, stands in another
// place that overlaps the first one.
func (v view) overlaps(wanted []byte) bool {
	first := bytescan.NewNeedle(wanted, false).Index(v.text)
	end := min(first+2*len(wanted)-1, len(v.text))
	return bytes.Contains(v.text[first+1:end], wanted)
}
