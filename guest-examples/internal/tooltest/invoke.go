package tooltest

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// Invoke runs a tool with the JSON object of arguments that a model would send, and returns the
// output.
func Invoke[Args any](t *testing.T, run func(Args, io.Writer) error, arguments string) (string, error) {
	t.Helper()
	var args Args
	if err := json.Unmarshal([]byte(arguments), &args); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err := run(args, &out)
	return out.String(), err
}
