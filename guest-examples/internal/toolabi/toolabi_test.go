package toolabi

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestMain_wiring(t *testing.T) {
	tools := map[string]Tool{
		"echo": func(input []byte, out io.Writer) error {
			_, err := out.Write(input)
			return err
		},
		"fail": func(_ []byte, out io.Writer) error {
			io.WriteString(out, "half an answer")
			return errors.New("no luck")
		},
	}
	tests := []struct {
		name           string
		args           []string
		stdin          string
		code           int
		stdout, stderr string
	}{
		{name: "output", args: []string{"m", "echo"}, stdin: `{"a":1}`, stdout: `{"a":1}`},
		{name: "failure keeps stdout clean", args: []string{"m", "fail"}, code: 1, stderr: "no luck\n"},
		{name: "no tool", args: []string{"m"}, code: 1, stderr: "the first argument must name one of the tools of this module: echo, fail\n"},
		{name: "unknown tool", args: []string{"m", "rm"}, code: 1, stderr: "the first argument must name one of the tools of this module: echo, fail\n"},
		{name: "no arguments at all", code: 1, stderr: "the first argument must name one of the tools of this module: echo, fail\n"},
		{name: "too large", args: []string{"m", "echo"}, stdin: strings.Repeat(" ", MaxInput+1), code: 1, stderr: "the arguments are larger than 8388608 bytes\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			code := Main(tools, test.args, strings.NewReader(test.stdin), &stdout, &stderr)
			if code != test.code || stdout.String() != test.stdout || stderr.String() != test.stderr {
				t.Errorf("got %d, %q, %q; want %d, %q, %q", code, stdout.String(), stderr.String(), test.code, test.stdout, test.stderr)
			}
		})
	}
}
