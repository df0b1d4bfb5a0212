package guest

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

func TestDecode(t *testing.T) {
	type args struct {
		Text  string `json:"text"`
		Limit Int    `json:"limit"`
	}
	tests := []struct {
		input string
		want  args
		err   string
	}{
		{input: `{"text":"a","limit":3}`, want: args{"a", 3}},
		{input: `{"limit":3.0}`, want: args{"", 3}},
		{input: `{"limit":3e2}`, want: args{"", 300}},
		{input: `{"limit":-9223372036854775808}`, want: args{"", -9223372036854775808}},
		{input: `{"limit":null,"other":[]}`},
		{input: `{"limit":1.5}`, err: "1.5 is not a whole number"},
		{input: `{"limit":9223372036854775808}`, err: "not a whole number"},
		{input: `{"limit":1e999999999999}`, err: "not a whole number"},
		{input: `{"limit":"3"}`, err: `"3" is not a whole number`},
		{input: `{"text":3}`, err: "text has the wrong type: number"},
		{input: ``, err: "must be one JSON object"},
		{input: `[]`, err: "must be one JSON object"},
		{input: `{"limit":1} {}`, err: "must be one JSON object"},
	}
	for _, test := range tests {
		t.Run(test.input, func(t *testing.T) {
			var got args
			err := Decode([]byte(test.input), &got)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("got error %v, want one with %q", err, test.err)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("got %+v, %v; want %+v", got, err, test.want)
			}
		})
	}
}
