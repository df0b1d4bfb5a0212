package secret

import (
	"bytes"
	"encoding/json"

	"github.com/wasmtool/wasmtool/internal/plainjson"
)

// JSON returns raw without secrets, in strings, in names and in numbers, which then
// become strings. Valid JSON stays valid; what holds no secret is unchanged. Where a
// secret reaches over several values, all of raw becomes one string. What is not valid
// JSON is treated as text.
func (s *Scrubber) JSON(raw json.RawMessage) json.RawMessage {
	if s.Empty() {
		return raw
	}
	if !json.Valid(raw) {
		return s.Bytes(raw)
	}
	if !bytes.ContainsRune(raw, '\\') && bytes.Equal(s.Bytes(raw), raw) {
		return raw // without escapes, its strings are as they are written
	}
	out := make([]byte, 0, len(raw))
	for rest := []byte(raw); len(rest) > 0; {
		n := scalar(rest)
		if n == 0 {
			out, rest = append(out, rest[0]), rest[1:]
			continue
		}
		out, rest = append(out, s.scalar(rest[:n])...), rest[n:]
	}
	if clean := s.Bytes(out); !bytes.Equal(clean, out) {
		return plainjson.String(string(clean))
	}
	return out
}

// scalar returns p, a string or another scalar of JSON, without secrets.
func (s *Scrubber) scalar(p []byte) []byte {
	if p[0] != '"' {
		if clean := s.Bytes(p); !bytes.Equal(clean, p) {
			return plainjson.String(string(clean))
		}
		return p
	}
	var text string
	if err := json.Unmarshal(p, &text); err != nil {
		return plainjson.String("[secret]") // not reached for valid JSON; never pass on what was not read
	}
	clean := s.Text(text)
	if clean == text && bytes.Equal(s.Bytes(p), p) {
		return p
	}
	if clean == text { // found only as it is written
		clean = s.Text(string(p[1 : len(p)-1]))
	}
	return plainjson.String(clean)
}

// scalar is the length of the scalar that p, within valid JSON, begins with, or 0.
func scalar(p []byte) int {
	if p[0] != '"' {
		if n := bytes.IndexAny(p, " \t\r\n{}[]:,\""); n >= 0 {
			return n
		}
		return len(p)
	}
	for i := 1; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(p)
}
