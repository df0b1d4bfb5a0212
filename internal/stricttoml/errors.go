package stricttoml

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// Error is one error in a file.
type Error struct {
	// File is the caller's name for the file. This package never makes it an absolute path.
	File string
	// Line and Column are the position of the error and start at 1. Column counts characters
	// (Unicode code points; a tab is one). Both are 0 for an error of the whole file, such as a
	// missing key.
	Line, Column int
	// Key is the dotted path of the wrong key, such as "permissions.fs[0].mode", or "" when the
	// error is not about one key.
	Key string
	// Message says what is wrong and how to fix it.
	Message string
}

// Error returns "file:line:column: key: message", without the parts that are empty.
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

// Errors are all errors in one file, in the order of the file. Errors of the whole file come
// first. An Errors that is returned as an error is never empty.
type Errors []*Error

// Error returns one line for each error.
func (e Errors) Error() string {
	return strings.Join(each.Of(e, (*Error).Error), "\n")
}

// Unwrap returns the elements, so that errors.As finds an *Error.
func (e Errors) Unwrap() []error {
	return each.Of(e, func(err *Error) error { return err })
}

// MaxQuoted limits the characters that an error quotes from the file.
const MaxQuoted = 48

// Quote returns a string in quotes for an error. It escapes the string, and cuts it to MaxQuoted
// characters.
func Quote(text string) string {
	return strconv.Quote(plaintext.Excerpt(text, MaxQuoted))
}
