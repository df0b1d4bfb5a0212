package secret

import (
	"maps"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// MinScrub is the length in bytes of the shortest value that is hidden. Shorter ones
// would be found by chance in text that has nothing to do with them.
const MinScrub = 8

// Scrubber hides the values of secrets behind "[secret:NAME]": as they are, in base64
// (of either alphabet, also in the middle of a longer text), in hexadecimal, with
// percent-encoding and with the escapes of JSON strings. What holds none is unchanged.
// It is safe for concurrent use. A nil Scrubber hides nothing. Printing one shows no
// value.
type Scrubber struct {
	hidden
	readings []*reading
}

// NewScrubber returns a Scrubber for the values, by name. Values shorter than MinScrub
// are left out.
func NewScrubber(values map[string]string) *Scrubber {
	plain, percent, escaped, hexed, based := readings()
	s := &Scrubber{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := []byte(values[name])
		if len(value) < MinScrub {
			continue
		}
		s.readings = []*reading{plain, percent, escaped, hexed, based}
		label := label(name, values)
		for _, r := range []*reading{plain, percent, escaped} {
			r.find(value, label)
		}
		hexed.find(hexForm(value), label)
		for _, form := range base64Forms(value) {
			based.find(form, label)
		}
	}
	for _, r := range s.readings {
		r.link()
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

// Stream returns a scrubber for one stream. It holds back what could begin a secret in
// any form, and no more.
func (s *Scrubber) Stream() egress.Scrubber {
	t := &stream{}
	if s != nil {
		for _, r := range s.readings {
			t.views = append(t.views, newView(r))
		}
	}
	return t
}

// Bytes returns p without secrets. The result may be p itself.
func (s *Scrubber) Bytes(p []byte) []byte {
	if s.Empty() {
		return p
	}
	return s.Stream().Scrub(p, true)
}

// Text returns text without secrets.
func (s *Scrubber) Text(text string) string {
	if s.Empty() {
		return text
	}
	return string(s.Bytes([]byte(text)))
}
