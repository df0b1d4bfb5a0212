package manifests

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

func TestErrorsAreLimited(t *testing.T) {
	var text strings.Builder
	text.WriteString(minimal)
	for i := range 1000 {
		fmt.Fprintf(&text, "\"\\u001b%d\" = 1\n", i)
	}
	_, err := Decode("tool.toml", []byte(text.String()))
	var errs Errors
	if !errors.As(err, &errs) || len(errs) != stricttoml.MaxErrors+1 {
		t.Fatalf("%d errors, want %d", len(errs), stricttoml.MaxErrors+1)
	}
	last := errs[stricttoml.MaxErrors]
	if last.Message != "900 more errors from here on are not listed" || last.Line != 6+stricttoml.MaxErrors {
		t.Errorf("last e = %v", last)
	}
	if strings.ContainsRune(err.Error(), '\x1b') {
		t.Error("the report holds an escape character")
	}
}

func TestErrorsAs(t *testing.T) {
	_, err := Decode("my.toml", []byte(minimal+"Timeout = 1\n"))
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *Error", err)
	}
	want := Error{
		File: "my.toml", Line: 6, Column: 1, Key: "Timeout",
		Message: `unknown key; keys are written in lower case, write "timeout"`,
	}
	if *e != want {
		t.Errorf("e = %+v, want %+v", *e, want)
	}
	evil := (&Error{File: "a\x1b[2J\nb", Message: "m"}).Error()
	if want := `a\x1b[2J\nb: m`; evil != want {
		t.Errorf("Error() = %q, want %q", evil, want)
	}
}
