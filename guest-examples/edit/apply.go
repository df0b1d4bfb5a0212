package edit

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
	"github.com/wasmtool/wasmtool/guest-examples/internal/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
)

// maxPlaces is how many places an error names.
const maxPlaces = 10

// replacement is one edit of a text.
type replacement struct {
	view
	old    []byte
	insert insertion
}

// changes yields each match together with what replaces it.
func (r replacement) changes() iter.Seq2[span, []byte] {
	return func(yield func(span, []byte) bool) {
		for m := range r.matches(r.old) {
			if !yield(m, r.insert.text(m)) {
				return
			}
		}
	}
}

// apply returns the content of a file, of which data is the content before, and
// the report of what was changed. shown is the name of the file in texts.
func apply(data []byte, shown string, args Args) (changed, report []byte, err error) {
	doc, err := text.ParseDocument(data)
	if errors.Is(err, text.ErrBinary) {
		return nil, nil, fmt.Errorf("file_path: %s is a binary file of %d bytes; edit changes text only", shown, len(data))
	}
	if err != nil {
		return nil, nil, err
	}
	if doc.Unknown {
		if err := checkASCII(shown, args); err != nil {
			return nil, nil, err
		}
	}
	v := newView(doc.Text, strings.Contains(args.OldString, "\r"))
	r := replacement{v, []byte(args.OldString), newInsertion(v, args.OldString, args.NewString)}
	count, err := r.checkPlaces(shown, args.ReplaceAll, doc.Unknown)
	if err != nil {
		return nil, nil, err
	}
	edited, err := r.splice()
	if err != nil {
		return nil, nil, err
	}
	if changed = doc.Bytes(edited); len(changed) > MaxSize {
		return nil, nil, errTooLarge
	}
	if bytes.Equal(doc.Text, edited) {
		return nil, nil, fmt.Errorf("%s would stay as it is: where old_string stands, new_string with the line ends of the file is the same", shown)
	}
	d := differ{
		old: doc.Text, new: edited,
		showReturns: strings.Contains(args.OldString+args.NewString, "\r"),
	}
	report = fmt.Appendf(nil, "edited %s: %s\n", shown, guest.Quantity(count, "replacement"))
	return changed, d.append(report, shown, r.changes()), nil
}

var errTooLarge = fmt.Errorf("the file would be larger than the %d bytes that edit takes", MaxSize)

// checkASCII refuses to look for or insert what has no certain form in a file
// of unknown encoding.
func checkASCII(shown string, args Args) error {
	for _, param := range []struct{ name, value string }{{"old_string", args.OldString}, {"new_string", args.NewString}} {
		for _, r := range param.value {
			if r >= utf8.RuneSelf {
				return fmt.Errorf("%s has the character %q, and %s is neither UTF-8 nor UTF-16, so that it is unknown how to write it there; use ASCII characters alone", param.name, r, shown)
			}
		}
	}
	return nil
}

// checkPlaces counts the matches, and reports an error unless they are what
// is asked for.
func (r replacement) checkPlaces(shown string, all, unknown bool) (count int, err error) {
	var places []string
	line, at := 1, 0
	for m := range r.matches(r.old) {
		count++
		inside := unknown && r.mayBeInside(m)
		if len(places) < maxPlaces || inside {
			line += bytescan.Count(r.raw[at:m.start], '\n')
			at = m.start
			places = append(places, strconv.Itoa(line))
		}
		if inside {
			return 0, fmt.Errorf("old_string matches line %d of %s right after a byte that is no ASCII character and may be one half of a character, as the encoding is unknown; let old_string begin at a space or at the start of a line", line, shown)
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
		return 0, fmt.Errorf("old_string matches %d places in %s, at lines %s; include more of the text around the one that is meant, or set replace_all to change all",
			count, shown, strings.Join(places, ", "))
	case r.overlaps(r.old):
		return 0, fmt.Errorf("old_string matches places in %s that overlap, from line %s on; include more of the text around the one that is meant", shown, places[0])
	}
	return count, nil
}

// mayBeInside reports whether the match m may begin within a character of two
// or four bytes: in East Asian encodings those after the first can look like
// ASCII characters, from the digits on.
func (r replacement) mayBeInside(m span) bool {
	return m.start > 0 && r.raw[m.start-1] >= utf8.RuneSelf && r.raw[m.start] >= '0'
}

// splice returns the text with all changes made.
func (r replacement) splice() ([]byte, error) {
	edited := make([]byte, 0, len(r.raw)+len(r.insert.uniform))
	at := 0
	for m, inserted := range r.changes() {
		edited = append(append(edited, r.raw[at:m.start]...), inserted...)
		if at = m.end; len(edited) > MaxSize {
			return nil, errTooLarge
		}
	}
	return append(edited, r.raw[at:]...), nil
}
