package secret

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/wasmtool/wasmtool/internal/plainjson"
)

// maxJSON limits the size in bytes of a text that is parsed as JSON, because parsing ignores the
// context. Readers of results accept no larger JSON.
const maxJSON = 8 << 20

// JSON returns raw without secrets in strings, names and numbers; a changed number becomes a
// string. Valid JSON stays valid, and JSON without secrets stays unchanged. If a secret spans
// several values, all of raw becomes one string. If raw is not valid JSON or exceeds 8 MiB, it is
// treated as text. If ctx is done, JSON returns only the error of ctx.
func (s *Scrubber) JSON(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	if s.Empty() || len(raw) < s.shortest {
		return raw, nil
	}
	if len(raw) > maxJSON || !json.Valid(raw) {
		return s.Bytes(ctx, raw)
	}
	t := s.stream()
	if !bytes.ContainsRune(raw, '\\') { // no escapes, so strings are as written
		if clean, err := t.whole(ctx, raw); err != nil || bytes.Equal(clean, raw) {
			return clean, err
		}
	}
	out := make([]byte, 0, len(raw))
	checked := 0
	for rest := []byte(raw); len(rest) > 0; {
		if read := len(raw) - len(rest); read >= checked {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			checked = read + piece
		}
		n := scalar(rest)
		if n < s.shortest {
			n = max(n, 1) // no scalar begins here: pass on one byte
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

// scalar returns p, which is one JSON scalar, without secrets.
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
			// unreachable for valid JSON; hide the whole value to be safe
			return plainjson.String("[secret]"), nil
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
	// The secret is found only in the escaped form.
	if own, err = t.whole(ctx, p[1:len(p)-1]); err != nil {
		return nil, err
	}
	return plainjson.String(string(own)), nil
}

// scalar returns the length of the scalar at the beginning of p, which is part of valid JSON, or 0.
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
