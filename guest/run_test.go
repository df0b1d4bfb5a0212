package guest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"
)

// served is the outcome of one Serve call.
type served struct {
	code        int
	out, errOut string
}

func serveText[In, Out any](input string, tool func(context.Context, In) (Out, error)) served {
	var out, errOut strings.Builder
	code := Serve(context.Background(), strings.NewReader(input), &out, &errOut, tool)
	return served{code, out.String(), errOut.String()}
}

// gives returns a tool that returns the arguments out and err.
func gives[Out any](out Out, err error) func(context.Context, struct{}) (Out, error) {
	return func(context.Context, struct{}) (Out, error) { return out, err }
}

func TestServe_output(t *testing.T) {
	type value struct {
		N    int64  `json:"n"`
		Text string `json:"text,omitempty"`
	}
	type named string
	tests := []struct {
		name string
		got  served
		want string
	}{
		{"text", serveText(`{}`, gives(" <a>\n\x00", nil)), " <a>\n\x00"},
		{"no text", serveText(`{}`, gives("", nil)), ""},
		{"an object", serveText(`{}`, gives(value{N: 9007199254740993}, nil)), `{"n":9007199254740993}` + "\n"},
		{"readable letters", serveText(`{}`, gives(value{Text: "<a> & b"}, nil)), `{"n":0,"text":"<a> & b"}` + "\n"},
		{"a pointer", serveText(`{}`, gives(&value{N: 1}, nil)), `{"n":1}` + "\n"},
		{"a list", serveText(`{}`, gives([]string{"a"}, nil)), `["a"]` + "\n"},
		{"a text type of its own is JSON", serveText(`{}`, gives(named("a"), nil)), `"a"` + "\n"},
		{"a text in an any is JSON", serveText(`{}`, gives(any("a"), nil)), `"a"` + "\n"},
		{"numbers as written", serveText(`{}`, gives([]json.Number{"1.10", "1e400"}, nil)), "[1.10,1e400]\n"},
		{"JSON as written", serveText(`{}`, gives(json.RawMessage(`{"n": 1.0, "t":"<"}`), nil)), `{"n":1.0,"t":"<"}` + "\n"},
		{"an empty result", serveText(`{}`, gives(Result{}, nil)), `{"content":[]}` + "\n"},
		{
			"content", serveText(`{}`, gives(Result{Content: []Content{Text("<a>"), Text(""), Image([]byte("hi"), "image/png")}}, nil)),
			`{"content":[{"type":"text","text":"<a>"},{"type":"text","text":""},{"type":"image","data":"aGk=","mimeType":"image/png"}]}` + "\n",
		},
		{
			"a sound and resources", serveText(`{}`, gives(Result{Content: []Content{
				Audio([]byte("hi"), "audio/wav"), Resource("note:a", "", "", nil), Resource("note:b", "a/b", "", []byte("hi")),
			}, Title: "One", Metadata: map[string]any{"n": json.Number("1.10")}}, nil)),
			`{"content":[{"type":"audio","data":"aGk=","mimeType":"audio/wav"},{"type":"resource","resource":{"uri":"note:a","text":""}},` +
				`{"type":"resource","resource":{"uri":"note:b","mimeType":"a/b","blob":"aGk="}}],"title":"One","metadata":{"n":1.10}}` + "\n",
		},
		{"structure", serveText(`{}`, gives(Result{Structured: value{N: 1, Text: "&"}}, nil)), `{"content":[],"structured":{"n":1,"text":"&"}}` + "\n"},
		{"a structure of zero", serveText(`{}`, gives(Result{Structured: 0}, nil)), `{"content":[],"structured":0}` + "\n"},
		{"a failure", serveText(`{}`, gives(Failf("no file %q", "a"), nil)), `{"content":[{"type":"text","text":"no file \"a\""}],"is_error":true}` + "\n"},
		{"a pointer to a result", serveText(`{}`, gives(&Result{Content: []Content{Text("a")}}, nil)), `{"content":[{"type":"text","text":"a"}]}` + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if want := (served{exitOK, tt.want, ""}); tt.got != want {
				t.Errorf("got %+v, want %+v", tt.got, want)
			}
		})
	}
}

func TestServe_failures(t *testing.T) {
	tests := []struct {
		name string
		got  served
		want string
	}{
		{"an error", serveText(`{}`, gives("half", errors.New("no luck\nat all"))), "no luck\nat all\n"},
		{"an error beside a result", serveText(`{}`, gives(Failf("a"), errors.New("b"))), "b\n"},
		{"invalid JSON", serveText(`{`, gives("", nil)), "input: invalid JSON: unexpected EOF\n"},
		{"a value that JSON has not", serveText(`{}`, gives(math.NaN(), nil)), "output: json: unsupported value: NaN\n"},
		{"the same in a result", serveText(`{}`, gives(Result{Structured: math.NaN()}, nil)), "output: json: unsupported value: NaN\n"},
		{"a block without a type", serveText(`{}`, gives(Result{Content: []Content{Text("a"), {}}}, nil)), "output: content[1]: unknown block type \"\"; use Text, Image, Audio or Resource\n"},
		{"an image without data", serveText(`{}`, gives(Result{Content: []Content{Image(nil, "image/png")}}, nil)), "output: content[0]: a block of type image needs data and a MIME type that starts with image/\n"},
		{"a sound that is an image", serveText(`{}`, gives(Result{Content: []Content{Audio([]byte("a"), "image/png")}}, nil)), "output: content[0]: a block of type audio needs data and a MIME type that starts with audio/\n"},
		{"a resource without a name", serveText(`{}`, gives(Result{Content: []Content{Resource("", "", "a", nil)}}, nil)), "output: content[0]: a resource needs a URI, and either text or data\n"},
		{"an image that is a page", serveText(`{}`, gives(Result{Content: []Content{Image([]byte("a"), "text/html")}}, nil)), "output: content[0]: a block of type image needs data and a MIME type that starts with image/\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if want := (served{exitFailed, "", tt.want}); tt.got != want {
				t.Errorf("got %+v, want %+v", tt.got, want)
			}
		})
	}
}

func TestServe_panic(t *testing.T) {
	tests := []struct {
		name string
		tool func(context.Context, struct{}) (string, error)
		want string
	}{
		{"a text", func(context.Context, struct{}) (string, error) { panic("oh no") }, "panic: oh no\n"},
		{"an error", func(context.Context, struct{}) (string, error) { panic(io.EOF) }, "panic: EOF\n"},
		{"of the runtime", func(_ context.Context, _ struct{}) (string, error) { return string([]byte(nil)[0]), nil }, "panic: runtime error: index out of range"},
		{"no tool", nil, "panic: runtime error: invalid memory address"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := serveText(`{}`, tt.tool)
			if got.code != exitPanic || got.out != "" || !strings.HasPrefix(got.errOut, tt.want) {
				t.Errorf("got %+v, want the code 2 and an error that starts with %q", got, tt.want)
			}
			if !strings.Contains(got.errOut, "\ngoroutine ") {
				t.Errorf("there is no stack in %q", got.errOut)
			}
		})
	}
}

func TestServe_brokenStreams(t *testing.T) {
	var out, errOut bytes.Buffer
	code := Serve(context.Background(), iotest.ErrReader(errors.New("unplugged")), &out, &errOut, gives("a", nil))
	if code != exitFailed || out.Len() > 0 || errOut.String() != "input: unplugged\n" {
		t.Errorf("reading: got %d, %q, %q", code, &out, &errOut)
	}
	errOut.Reset()
	code = Serve(context.Background(), strings.NewReader(""), closedWriter{}, &errOut, gives("a", nil))
	if code != exitFailed || errOut.String() != "output: io: read/write on closed pipe\n" {
		t.Errorf("writing: got %d, %q", code, &errOut)
	}
}

type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestServe_passesTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errOut strings.Builder
	code := Serve(ctx, strings.NewReader(""), &out, &errOut, func(ctx context.Context, _ struct{}) (string, error) { return "", ctx.Err() })
	if code != exitFailed || errOut.String() != "context canceled\n" {
		t.Errorf("got %d, %q", code, errOut.String())
	}
}

// asTool is the environment variable that makes this test binary run as a tool.
const asTool = "GUEST_TEST_AS_TOOL"

func TestMain(m *testing.M) {
	if os.Getenv(asTool) == "" {
		os.Exit(m.Run())
	}
	Run(func(_ context.Context, do string) (string, error) {
		switch do {
		case "fail":
			return "", errors.New("no luck")
		case "panic":
			panic("oh no")
		}
		return do, nil
	})
	os.Stderr.WriteString("after Run")
}

// On systems other than wasip1 a tool is a plain program.
func TestRun(t *testing.T) {
	tests := []struct {
		input       string
		code        int
		out, errOut string
	}{
		{"hello", 0, "hello", "after Run"},
		{"fail", 1, "", "no luck\n"},
		{"panic", 2, "", "panic: oh no\n"},
	}
	for _, tt := range tests {
		t.Run(tt.input, func(t *testing.T) {
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(exe)
			cmd.Env = append(os.Environ(), asTool+"=1")
			cmd.Stdin = strings.NewReader(tt.input)
			var out, errOut strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &errOut
			var exit *exec.ExitError
			if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if code := cmd.ProcessState.ExitCode(); code != tt.code || out.String() != tt.out || !strings.HasPrefix(errOut.String(), tt.errOut) {
				t.Errorf("got %d, %q, %q; want %d, %q, %q", code, out.String(), errOut.String(), tt.code, tt.out, tt.errOut)
			}
		})
	}
}
