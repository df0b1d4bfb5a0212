package secret

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/wasmtool/wasmtool/internal/plainjson"
)

// maxJSON is how long a text may be, in bytes, to be read as JSON, which nothing ends early.
// A reader of results takes no more for JSON.
const maxJSON = 8 << 20

// JSON returns raw without secrets, in strings, in names and in numbers, which then
// become strings. Valid JSON stays valid; what holds no secret is unchanged. Where a
// secret reaches over several values, all of raw becomes one string. What is not valid
// JSON, or longer than 8 MiB, is treated as text. The error is that of ctx; nothing is
// returned then.
func (s *Scrubber) JSON(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	if s.Empty() || len(raw) < s.shortest {
		return raw, nil
	}
	if len(raw) > maxJSON || !json.Valid(raw) {
		return s.Bytes(ctx, raw)
	}
	t := s.stream()
	if !bytes.ContainsRune(raw, '\\') { // its strings are as they are written
		if clean, err := t.whole(ctx, raw); err != nil || bytes.Equal(clean, raw) {
			return clean, err
		}
	}
	out := make([]byte, 0, len(raw))
	looked := 0
	for rest := []byte(raw); len(rest) > 0; {
		if read := len(raw) - len(rest); read >= looked {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			looked = read + piece
		}
		n := scalar(rest)
		if n < s.shortest {
			n = max(n, 1) // one that begins with no scalar is passed on byte by byte
			out, rest = append(out, rest[:n]...), rest[n:]
			continue
		}
		clean, err := t.scalar(ctx, rest[:n])
		if err != nil {
			return nil, err
		}
		out, rest = append(out, clean...), rest[n:]
	}
	clean, err := t.whole(ctx, out)
	switch {
	case err != nil:
		return nil, err
	case !bytes.Equal(clean, out):
		return plainjson.String(string(clean)), nil
	}
	return out, nil
}

// scalar returns p, a string or another scalar of JSON, without secrets.
func (t *stream) scalar(ctx context.Context, p []byte) ([]byte, error) {
	clean, err := t.whole(ctx, p)
	if err != nil {
		return nil, err
	}
	found := !bytes.Equal(clean, p)
	if p[0] != '"' {
		if found {
			return plainjson.String(string(clean)), nil
		}
		return p, nil
	}
	text := string(p[1 : len(p)-1])
	if bytes.IndexByte(p, '\\') >= 0 {
		if err := json.Unmarshal(p, &text); err != nil {
			return plainjson.String("[secret]"), nil // not reached for valid JSON; never pass on what was not read
		}
	} else if !found {
		return p, nil
	}
	own, err := t.whole(ctx, []byte(text))
	if err != nil {
		return nil, err
	}
	switch {
	case string(own) != text:
		return plainjson.String(string(own)), nil
	case !found:
		return p, nil
	}
	// It is found only as it is written.
	if own, err = t.whole(ctx, p[1:len(p)-1]); err != nil {
		return nil, err
	}
	return plainjson.String(string(own)), nil
}

// scalar is the length of the scalar that p, within valid JSON, begins with, or 0.
func scalar(p []byte) int {
	if p[0] != '"' {
		for n, b := range p {
			switch b {
			case ' ', '\t', '\r', '\n', '{', '}', '[', ']', ':', ',', '"':
				return n
			}
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
