package results

import "cmp"

// DefaultPage is how much Read gives, in bytes, when no limit is given.
const DefaultPage = 32 << 10

// Page is a part of a text. It begins and ends between characters.
type Page struct {
	Text string
	// Offset is where the page begins, in bytes of the whole, and Next where the next one
	// does; Next is Total at the end.
	Offset, Next int
	// Total is the length of the whole in bytes.
	Total int
}

// Read returns a part of a text: from about an offset on, in bytes, about limit bytes of
// it, 0 meaning DefaultPage. It gives at least one character, unless the offset is at the
// end or beyond. Errors are those of Text.
func (s *Store) Read(owner Owner, handle string, offset, limit int) (Page, error) {
	text, err := s.Text(owner, handle)
	if err != nil {
		return Page{}, err
	}
	limit = cmp.Or(max(limit, 0), DefaultPage)
	begin := boundary(text, min(max(offset, 0), len(text)))
	end := boundary(text, begin+min(limit, len(text)-begin))
	if end == begin && begin < len(text) {
		end = boundaryAfter(text, begin)
	}
	return Page{Text: text[begin:end], Offset: begin, Next: end, Total: len(text)}, nil
}
