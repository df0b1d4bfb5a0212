package cli

import (
	"bytes"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// A single text is printed unchanged, and each of several blocks begins on a new line, also blocks
// for people.
func TestBlocksOfResultBeginOnNewLines(t *testing.T) {
	a, b := tool.TextContent("a"), tool.TextContent("b")
	for want, r := range map[string]tool.Result{
		"a":      {Content: []tool.Content{a}},
		"a\nb\n": {Content: []tool.Content{a}, Attachments: []tool.Content{b}},
		"b\na\n": {Content: []tool.Content{b, a}},
	} {
		var out bytes.Buffer
		if err := (Streams{Out: &out}).printContent(r); err != nil || out.String() != want {
			t.Errorf("got %q, %v, want %q", out.String(), err, want)
		}
	}
}

func TestFirstSentence(t *testing.T) {
	for text, want := range map[string]string{
		"Lists files. Directories end in /.":   "Lists files.",
		"Characters such as ( and . are plain": "Characters such as ( and . are plain",
		"One line\n of two. \"Quoted\" text.":  "One line of two.",
		"No end":                               "No end",
	} {
		if got := firstSentence(text); got != want {
			t.Errorf("firstSentence(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestByteCount(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1.0 KiB", 64 << 20: "64.0 MiB", 3 << 29: "1.5 GiB"} {
		if got := byteCount(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
