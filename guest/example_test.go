package guest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"

	"github.com/wasmtool/wasmtool/guest"
)

type greeting struct {
	Name string `json:"name"`
}

func greet(_ context.Context, in greeting) (string, error) {
	if in.Name == "" {
		return "", errors.New("name is missing; say who is greeted")
	}
	return "Hello, " + in.Name + "!", nil
}

// A complete tool consists of the function and a main that passes it to Run.
func ExampleRun() {
	main := func() { guest.Run(greet) }

	// The host passes the arguments to main on standard input.
	stdin := os.Stdin
	defer func() { os.Stdin = stdin }()
	read, write, err := os.Pipe()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprint(write, `{"name": "World"}`)
	write.Close()
	os.Stdin = read
	main()
	// Output:
	// Hello, World!
}

// A test runs a tool as the host does: it passes the input as bytes and compares the output.
func ExampleServe() {
	for _, input := range []string{`{"name": "World"}`, `{}`} {
		var out, errOut strings.Builder
		code := guest.Serve(context.Background(), strings.NewReader(input), &out, &errOut, greet)
		fmt.Printf("%d %q %q\n", code, out.String(), errOut.String())
	}
	// Output:
	// 0 "Hello, World!" ""
	// 1 "" "name is missing; say who is greeted\n"
}

// A struct is written as JSON; the manifest must set output = "json".
func ExampleServe_json() {
	type input struct {
		Text string `json:"text"`
	}
	type output struct {
		Words int `json:"words"`
	}
	count := func(_ context.Context, in input) (output, error) {
		return output{Words: len(strings.Fields(in.Text))}, nil
	}
	guest.Serve(context.Background(), strings.NewReader(`{"text": "one two three"}`), os.Stdout, os.Stderr, count)
	// Output:
	// {"words":3}
}

// The result has an image block and structured output; the manifest must set output = "result".
func ExampleResult() {
	draw := func(context.Context, struct{}) (guest.Result, error) {
		var file bytes.Buffer
		if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
			return guest.Result{}, err
		}
		return guest.Result{
			Content:    []guest.Content{guest.Text("one black pixel"), guest.Image(file.Bytes(), "image/png")},
			Structured: map[string]int{"pixels": 1},
		}, nil
	}
	result, err := draw(context.Background(), struct{}{})
	fmt.Println(len(result.Content), result.Content[0].Text, result.Content[1].MIMEType, result.Structured, err)
	// Output:
	// 2 one black pixel image/png map[pixels:1] <nil>
}

// The result of a failed call can have more content than the error message.
func ExampleFailf() {
	check := func(context.Context, struct{}) (guest.Result, error) {
		failure := guest.Failf("line %d does not parse; the file is attached", 3)
		failure.Content = append(failure.Content, guest.Text("a = 1\nb = 2\nc = = 3\n"))
		return failure, nil
	}
	result, err := check(context.Background(), struct{}{})
	fmt.Println(result.IsError, err)
	for _, block := range result.Content {
		fmt.Println(block.Text)
	}
	// Output:
	// true <nil>
	// line 3 does not parse; the file is attached
	// a = 1
	// b = 2
	// c = = 3
}
