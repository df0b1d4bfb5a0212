package secret

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// Scrubber takes values out of what others say: in their own letters, and in those of
// base64, percent escapes, JSON, HTML and hexadecimal. In their place stands
// "[secret:NAME]". It does not know a value that was changed otherwise, cut into parts or
// compressed, nor one shorter than MinHidden. It never changes and is safe for concurrent
// use; nil hides nothing.
type Scrubber struct {
	// byHead are the forms by their first bytes, the longest first. heads says which bytes
	// begin one.
	byHead  map[[headBytes]byte][]form
	heads   [256]bool
	longest int
}

type form struct {
	text, instead []byte
}

// headBytes are looked up at once.
const headBytes = MinHidden

// NewScrubber hides values by their names.
func NewScrubber(values map[string]string) *Scrubber {
	s := &Scrubber{byHead: make(map[[headBytes]byte][]form)}
	seen := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) < MinHidden {
			continue
		}
		instead := []byte("[secret:" + name + "]")
		for _, text := range forms(values[name]) {
			if seen[text] {
				continue
			}
			seen[text] = true
			head := [headBytes]byte([]byte(text))
			s.byHead[head] = append(s.byHead[head], form{[]byte(text), instead})
			s.heads[text[0]] = true
			s.longest = max(s.longest, len(text))
		}
	}
	for _, list := range s.byHead {
		slices.SortFunc(list, func(a, b form) int { return len(b.text) - len(a.text) })
	}
	return s
}

// Empty reports whether it hides nothing.
func (s *Scrubber) Empty() bool { return s == nil || len(s.byHead) == 0 }

// Text returns a text without the values.
func (s *Scrubber) Text(text string) string { return string(s.Bytes([]byte(text))) }

// Bytes returns data without the values: data itself when there are none in it.
func (s *Scrubber) Bytes(data []byte) []byte {
	if s.Empty() {
		return data
	}
	out, _ := s.scrub(data, true)
	return out
}

// JSON returns a JSON text without the values, also where its strings spell one by other
// escapes. It stays valid JSON.
func (s *Scrubber) JSON(text json.RawMessage) json.RawMessage {
	if s.Empty() {
		return text
	}
	text = s.Bytes(text)
	var out []byte
	done := 0
	for at := 0; at < len(text); at++ {
		if text[at] != '"' {
			continue
		}
		end := at + 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(text))
		var value string
		if bytes.IndexByte(text[at:end], '\\') >= 0 && json.Unmarshal(text[at:end], &value) == nil {
			if clean := s.Text(value); clean != value {
				quoted, _ := json.Marshal(clean) // a text can always be written
				out = append(append(out, text[done:at]...), quoted...)
				done = end
			}
		}
		at = end - 1
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// Stream hides the values in one stream, also across its pieces.
func (s *Scrubber) Stream() egress.Scrubber { return &stream{s: s} }

type stream struct {
	s    *Scrubber
	held []byte
}

// Scrub implements egress.Scrubber.
func (t *stream) Scrub(p []byte, atEnd bool) []byte {
	if t.s.Empty() {
		return p
	}
	data := p
	if len(t.held) > 0 {
		data = append(t.held, p...)
	}
	out, rest := t.s.scrub(data, atEnd)
	t.held = bytes.Clone(rest)
	return out
}

// scrub returns data without the values, and the end of it that may be the beginning of
// one, unless nothing follows.
func (s *Scrubber) scrub(data []byte, atEnd bool) (out, rest []byte) {
	done, changed := 0, false
	for at := 0; at < len(data); at++ {
		if !s.heads[data[at]] {
			continue
		}
		if !atEnd && s.mayGrow(data[at:]) {
			rest = data[at:]
			data = data[:at]
			break
		}
		if f := s.match(data[at:]); f != nil {
			out = append(append(out, data[done:at]...), f.instead...)
			changed = true
			done = at + len(f.text)
			at = done - 1
		}
	}
	if !changed {
		return data, rest
	}
	return append(out, data[done:]...), rest
}

// match returns the longest form that data begins with, or nil.
func (s *Scrubber) match(data []byte) *form {
	if len(data) < headBytes {
		return nil
	}
	list := s.byHead[[headBytes]byte(data[:headBytes])]
	for i := range list {
		if bytes.HasPrefix(data, list[i].text) {
			return &list[i]
		}
	}
	return nil
}

// mayGrow reports whether data is the beginning of a longer form.
func (s *Scrubber) mayGrow(data []byte) bool {
	if len(data) >= s.longest {
		return false
	}
	begins := func(f form) bool { return len(f.text) > len(data) && bytes.HasPrefix(f.text, data) }
	if len(data) >= headBytes {
		return slices.ContainsFunc(s.byHead[[headBytes]byte(data[:headBytes])], begins)
	}
	for head, list := range s.byHead {
		if bytes.HasPrefix(head[:], data) && slices.ContainsFunc(list, begins) {
			return true
		}
	}
	return false
}
