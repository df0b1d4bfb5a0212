package secret

import (
	"context"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// MinScrub is the minimum length in bytes of a value that is hidden. Shorter values would be found
// by chance in unrelated text.
const MinScrub = 8

// Scrubber replaces the values of secrets with "[secret:NAME]". It finds each value as it is, in
// hexadecimal and in base64: of either alphabet, in the middle of a longer text, and with line ends
// inside. Each form may be written raw, percent-encoded or with the escapes of JSON strings. Text
// without secrets is unchanged. The cost grows only with the length of the text.
//
// A Scrubber is safe for concurrent use. A nil Scrubber hides nothing. Printing a Scrubber shows no
// value.
type Scrubber struct {
	hidden
	readings []*reading
	shortest int // a text with fewer bytes contains no secret
}

// NewScrubber returns a Scrubber for values by name. It ignores values shorter than MinScrub.
func NewScrubber(values map[string]string) *Scrubber {
	plain, hexed, based := readings()
	s := &Scrubber{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := []byte(values[name])
		if len(value) < MinScrub {
			continue
		}
		if s.Empty() || len(value) < s.shortest {
			s.shortest = len(value) // all other forms are longer
		}
		s.readings = []*reading{plain, hexed, based}
		label := label(name, values)
		plain.find(value, label)
		hexed.find(hex.AppendEncode(nil, value), label)
		for _, form := range base64Forms(value) {
			based.find(form, label)
		}
	}
	for _, r := range s.readings {
		r.ready()
	}
	return s
}

// label returns the text that replaces a secret. It is valid within a JSON string and contains no
// value.
func label(name string, values map[string]string) string {
	text := "[secret:" + strings.Map(plainName, name) + "]"
	for _, v := range values {
		if len(v) >= MinScrub && strings.Contains(text, v) {
			return "[secret]"
		}
	}
	return text
}

func plainName(r rune) rune {
	if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("_-.", r) {
		return r
	}
	return '_'
}

// Empty reports whether s hides nothing.
func (s *Scrubber) Empty() bool { return s == nil || len(s.readings) == 0 }

// Stream returns a scrubber for streams that are read one at a time. It holds back only bytes that
// may begin a secret in one of its forms.
func (s *Scrubber) Stream() egress.Scrubber { return s.stream() }

func (s *Scrubber) stream() *stream {
	t := &stream{}
	if s != nil {
		t.shortest = s.shortest
		for _, r := range s.readings {
			t.views = append(t.views, newView(r))
		}
	}
	return t
}

// Bytes returns p without secrets. The result may be p itself. If ctx is done, Bytes returns only
// the error of ctx.
func (s *Scrubber) Bytes(ctx context.Context, p []byte) ([]byte, error) {
	if s.Empty() {
		return p, nil
	}
	return s.stream().whole(ctx, p)
}

// Before is like [Scrubber.Bytes] for text that was cut at its end. It also removes the last bytes
// if they may be the beginning of a secret.
func (s *Scrubber) Before(ctx context.Context, p []byte) ([]byte, error) {
	if s.Empty() {
		return p, nil
	}
	return s.stream().pieces(ctx, p, false)
}

// After is like [Scrubber.Bytes] for p[room:], the rest of a text whose beginning was cut. p[:room]
// is context, so the tail of a secret that begins there is removed as well.
func (s *Scrubber) After(ctx context.Context, p []byte, room int) ([]byte, error) {
	if s.Empty() {
		return p[room:], nil
	}
	t := s.stream()
	if _, err := t.pieces(ctx, p[:room], false); err != nil {
		return nil, err
	}
	return t.pieces(ctx, p[room:], true)
}

// Text returns text without secrets. Use it for short text only, because it cannot be cancelled.
func (s *Scrubber) Text(text string) string {
	if s.Empty() || len(text) < s.shortest {
		return text
	}
	return string(s.Stream().Scrub([]byte(text), true))
}
