package manifests

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is one fault of a manifest.
type Error struct {
	// File is the manifest as the caller named it, never an absolute host path of
	// this package's making.
	File string
	// Line and Column are where the fault is, from 1. Column counts characters
	// (Unicode code points; a tab is one). Both are 0 for a fault of the whole
	// file, such as a missing key.
	Line, Column int
	// Key is the dotted path of the key at fault, such as "permissions.fs[0].mode",
	// or "" when no key is.
	Key string
	// Message says what is wrong and how to mend it.
	Message string
}

// Error returns "file:line:column: key: message", without the parts that are not known.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": ")
	if e.Key != "" {
		b.WriteString(e.Key)
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	return printable(b.String())
}

// Errors is every fault of one manifest in the order of the file, those of the
// whole file first. It is never empty where it is returned as an error.
type Errors []*Error

// Error returns one line for each fault.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, fault := range e {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the faults, so that errors.As finds an *Error.
func (e Errors) Unwrap() []error {
	errs := make([]error, len(e))
	for i, fault := range e {
		errs[i] = fault
	}
	return errs
}

// maxQuoted is how many characters of somebody else's text an error repeats.
const maxQuoted = 48

// quote returns text in quotes for an error: escaped, and cut when it is long.
func quote(text string) string {
	return strconv.Quote(shorten(text, maxQuoted))
}

// shorten cuts a text of more than limit characters and marks the cut.
func shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}

// printable escapes what a terminal would obey or hide, so that a file's name or
// a library's text cannot forge a line of output.
func printable(text string) string {
	if strings.IndexFunc(text, unprintable) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unprintable(r) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
