package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// printable makes text of a guest or a model harmless to a terminal.
func printable(s string) string { return plaintext.Printable(s) }

// oneLine is printable for a name or a path.
func oneLine(s string) string { return plaintext.OneLine(s) }

// cut shortens a text for a person to a number of bytes, and says so.
func cut(s string, most int) string { return plaintext.Cut(s, most) }

// quote shows a word of the command line.
func quote(s string) string { return strconv.Quote(s) }

// indent moves all lines but the first to the right, so that they belong to it.
func indent(s string) string { return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") }

func yesNo(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

// firstSentence cuts a description down to what fits into a list.
func firstSentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if i := strings.Index(s, ". "); i >= 0 {
		s = s[:i+1]
	}
	const most = 72
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most-1]) + "…"
	}
	return s
}

// byteCount shows a size in the unit that a manifest would use.
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

func shellWords(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(" " + shellWord(w))
	}
	return b.String()
}

// shellWord writes a word so that a POSIX shell takes it for itself and nothing more: a
// tool's author chose part of it, and a person is asked to run the line.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:,@%+=", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(oneLine(s), "'", `'\''`) + "'"
}
