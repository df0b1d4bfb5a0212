package guest

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// Exit codes of a command, and what a reactor returns.
const (
	exitOK     = 0
	exitFailed = 1 // the tool returned an error, or its input or output is wrong
	exitPanic  = 2 // the same as of any Go program that panics
)

// Run runs the tool once with the input that the host gives. Call it once, as the
// last statement of main.
//
// The input is decoded into In as encoding/json does it, with exact numbers: those
// in an any are a json.Number, and a whole number fits an integer field in any
// spelling, such as 5.0 or 1e3. Fields that In lacks are ignored, since the host
// has checked the arguments against the manifest's schema. No input gives the zero
// In. If In is string, it is the input as it is, for module.stdin = "{parameter}".
//
// The package comment says what is written for which Out. Nothing is written when
// the tool fails: the text of an error is the message for whoever called the tool,
// often a model, so say what to change. A panic is reported by its value; the stack
// is on standard error, for the author. ctx has no deadline, because the host stops
// a guest without asking it.
//
// As a command Run ends the program with exit code 1 for an error and 2 for a
// panic, and returns otherwise. As a reactor it always returns.
func Run[In, Out any](tool func(ctx context.Context, in In) (Out, error)) {
	ctx := context.Background()
	if serveCall(func(s streams) int { return serve(ctx, s, tool) }) {
		return
	}
	if code := Serve(ctx, os.Stdin, os.Stdout, os.Stderr, tool); code != exitOK {
		os.Exit(code)
	}
}

// Serve runs the tool as Run does in a command, with the given streams in place of
// the standard ones, and returns the exit code: 0, 1 for an error, 2 for a panic.
// It is meant for tests. It may be called concurrently if tool may.
func Serve[In, Out any](ctx context.Context, in io.Reader, out, errOut io.Writer, tool func(ctx context.Context, in In) (Out, error)) int {
	return serve(ctx, streams{input: in, output: out, failure: errOut, log: errOut}, tool)
}

// streams are what a tool is connected to.
type streams struct {
	input  io.Reader
	output io.Writer
	// failure gets the message for the caller, log what only the author needs.
	failure, log io.Writer
}

func serve[In, Out any](ctx context.Context, s streams, tool func(ctx context.Context, in In) (Out, error)) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(s.failure, "panic: %v\n", p)
			fmt.Fprintf(s.log, "\n%s", debug.Stack())
			code = exitPanic
		}
	}()
	if err := answer(ctx, s, tool); err != nil {
		fmt.Fprintln(s.failure, err)
		return exitFailed
	}
	return exitOK
}

// answer takes one call from the input to the output.
func answer[In, Out any](ctx context.Context, s streams, tool func(ctx context.Context, in In) (Out, error)) error {
	data, err := io.ReadAll(s.input)
	if err != nil {
		return fmt.Errorf("input: %w", err)
	}
	in, err := decode[In](data)
	if err != nil {
		return fmt.Errorf("input: %w", err)
	}
	out, err := tool(ctx, in)
	if err != nil {
		return err
	}
	data, err = encode(out)
	if err == nil {
		_, err = s.output.Write(data)
	}
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}
