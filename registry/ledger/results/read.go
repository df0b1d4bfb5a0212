package results

import "cmp"

// DefaultPage is the default size of a page that Read returns, in bytes.
const DefaultPage = 32 << 10

// Page is a part of a text. It does not split characters.
type Page struct {
	Text string
	// Offset is the beginning of the page, and Next the beginning of the next page, both in bytes
	// of the full text. Next is Total on the last page.
	Offset, Next int
	// Total is the length of the full text in bytes.
	Total int
}

// Read returns a part of a text: about limit bytes, starting at about offset, both adjusted to
// boundaries of characters. 0 for limit means DefaultPage. The page has at least one character,
// unless offset is at or after the end of the text. Errors are the same as for [Store.Text].
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
