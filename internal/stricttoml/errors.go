package stricttoml

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// Error is one fault of a file.
type Error struct {
	// File is the file as the caller named it, never an absolute host path of
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
	return plaintext.Visible(b.String())
}

// Errors is every fault of one file in the order of the file, those of the
// whole file first. It is never empty where it is returned as an error.
type Errors []*Error

// Error returns one line for each fault.
func (e Errors) Error() string {
	return strings.Join(each.Of(e, (*Error).Error), "\n")
}

// Unwrap returns the faults, so that errors.As finds an *Error.
func (e Errors) Unwrap() []error {
	return each.Of(e, func(fault *Error) error { return fault })
}

// MaxQuoted is how many characters of somebody else's text an error repeats.
const MaxQuoted = 48

// Quote returns text in quotes for an error: escaped, and cut when it is long.
func Quote(text string) string {
	return strconv.Quote(plaintext.Excerpt(text, MaxQuoted))
}
