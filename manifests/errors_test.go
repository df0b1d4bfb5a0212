package manifests

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

func TestDecodeCutsALongReport(t *testing.T) {
	var text strings.Builder
	text.WriteString(minimal)
	for i := range 1000 {
		fmt.Fprintf(&text, "\"\\u001b%d\" = 1\n", i)
	}
	_, err := Decode("tool.toml", []byte(text.String()))
	var faults Errors
	if !errors.As(err, &faults) || len(faults) != stricttoml.MaxErrors+1 {
		t.Fatalf("%d faults, want %d", len(faults), stricttoml.MaxErrors+1)
	}
	last := faults[stricttoml.MaxErrors]
	if last.Message != "900 more errors from here on are not listed" || last.Line != 6+stricttoml.MaxErrors {
		t.Errorf("last fault = %v", last)
	}
	if strings.ContainsRune(err.Error(), '\x1b') {
		t.Error("the report holds an escape character")
	}
}

func TestErrorsAs(t *testing.T) {
	_, err := Decode("my.toml", []byte(minimal+"Timeout = 1\n"))
	var fault *Error
	if !errors.As(err, &fault) {
		t.Fatalf("%v is no *Error", err)
	}
	want := Error{
		File: "my.toml", Line: 6, Column: 1, Key: "Timeout",
		Message: `unknown key; keys are written in lower case, write "timeout"`,
	}
	if *fault != want {
		t.Errorf("fault = %+v, want %+v", *fault, want)
	}
	evil := (&Error{File: "a\x1b[2J\nb", Message: "m"}).Error()
	if want := `a\x1b[2J\nb: m`; evil != want {
		t.Errorf("Error() = %q, want %q", evil, want)
	}
}
