package grep

import (
	"bytes"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
)

// lead is the number of bytes that are shown before a match in a line that is too long to be shown
// from its start.
const lead = 100

// cutMark replaces an omitted part of a line.
const cutMark = "…"

// excerpt returns a part of line, with at most MaxLineChars characters, as valid UTF-8. The part
// includes line[at].
func excerpt(line []byte, at int) []byte {
	var shown []byte
	if at > MaxLineChars-lead && len(line) > MaxLineChars {
		start := at - lead
		for back := 0; back < utf8.UTFMax-1 && !utf8.RuneStart(line[start]); back++ {
			start--
		}
		line = line[text.LetterStart(line, start):]
		shown = append(shown, cutMark...)
	}
	clipped, cut := text.Clip(line, MaxLineChars)
	shown = append(shown, bytes.TrimSuffix(text.Valid(clipped), []byte("\r"))...)
	if cut {
		shown = append(shown, cutMark...)
	}
	return shown
}
