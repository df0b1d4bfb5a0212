package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// printable escapes the characters of untrusted text that a terminal could interpret.
func printable(s string) string { return plaintext.Printable(s) }

// oneLine is like printable, but also escapes line breaks. It is for names and paths.
func oneLine(s string) string { return plaintext.OneLine(s) }

// cut shortens a string to maxBytes and marks the cut.
func cut(s string, maxBytes int) string { return plaintext.Cut(s, maxBytes) }

// quote quotes a word of the command line.
func quote(s string) string { return strconv.Quote(s) }

// indent indents all lines except the first, to show that they continue the first line.
func indent(s string) string { return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") }

func yesNo(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

// sentenceEnd matches the end of a sentence. A word in lower case continues the sentence, as in
// "characters such as ( and . have no special meaning".
var sentenceEnd = lazyregexp.New(`\. [^\p{Ll}]`)

// firstSentence returns the first sentence of a description, on one line.
func firstSentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if at := sentenceEnd.Regexp().FindStringIndex(s); at != nil {
		s = s[:at[0]+1]
	}
	return s
}

// byteCount formats a size with the units that manifests use.
func byteCount(n uint64) string {
	const kib, mib, gib = 1 << 10, 1 << 20, 1 << 30
	switch {
	case n >= gib:
		return fmt.Sprintf("%.1f GiB", float64(n)/gib)
	case n >= mib:
		return fmt.Sprintf("%.1f MiB", float64(n)/mib)
	case n >= kib:
		return fmt.Sprintf("%.1f KiB", float64(n)/kib)
	}
	return fmt.Sprintf("%d bytes", n)
}

// localTime formats a time for a list.
func localTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

func shellWords(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(" " + shellWord(w))
	}
	return b.String()
}

// shellWord quotes a word for a POSIX shell. The word can come from a tool's untrusted author, and
// the user is asked to run the command line that contains it.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:,@%+=", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(oneLine(s), "'", `'\''`) + "'"
}
