package secret

import (
	"context"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// MinScrub is the length in bytes of the shortest value that is hidden. Shorter ones
// would be found by chance in text that has nothing to do with them.
const MinScrub = 8

// Scrubber hides the values of secrets behind "[secret:NAME]": as they are, in base64
// (of either alphabet, also in the middle of a longer text, with line ends inside), and in
// hexadecimal, each of them as it stands, with percent-encoding or with the escapes of
// JSON strings. What holds none is unchanged. What it costs grows with the length of the
// text alone. It is safe for concurrent use. A nil Scrubber hides nothing. Printing one
// shows no value.
type Scrubber struct {
	hidden
	readings []*reading
	shortest int // no text with fewer bytes holds a secret
}

// NewScrubber returns a Scrubber for the values, by name. Values shorter than MinScrub
// are left out.
func NewScrubber(values map[string]string) *Scrubber {
	plain, hexed, based := readings()
	s := &Scrubber{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := []byte(values[name])
		if len(value) < MinScrub {
			continue
		}
		if s.Empty() || len(value) < s.shortest {
			s.shortest = len(value) // every other form of it is longer
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

// label is what stands for a secret. It fits into a JSON string and holds no value.
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

// Empty says whether s hides nothing.
func (s *Scrubber) Empty() bool { return s == nil || len(s.readings) == 0 }

// Stream returns a scrubber for one stream after another. It holds back what could begin a
// secret in any form, and no more.
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

// Bytes returns p without secrets. The result may be p itself. The error is that of ctx;
// nothing is returned then.
func (s *Scrubber) Bytes(ctx context.Context, p []byte) ([]byte, error) {
	if s.Empty() {
		return p, nil
	}
	return s.stream().whole(ctx, p)
}

// Before is Bytes for a text that was cut at its end: what could be the beginning of a
// secret there is left out, too.
func (s *Scrubber) Before(ctx context.Context, p []byte) ([]byte, error) {
	if s.Empty() {
		return p, nil
	}
	return s.stream().pieces(ctx, p, false)
}

// After is Bytes for what follows the first room bytes of a text that was cut at its
// beginning: the end of a secret that lies there is none of it.
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

// Text returns text without secrets. It is for texts that are short: nothing ends it early.
func (s *Scrubber) Text(text string) string {
	if s.Empty() || len(text) < s.shortest {
		return text
	}
	return string(s.Stream().Scrub([]byte(text), true))
}
