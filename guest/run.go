package guest

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// Exit codes of a command and return values of a reactor.
const (
	exitOK     = 0
	exitFailed = 1 // the tool returned an error, or its input or output is invalid
	exitPanic  = 2 // the exit code of a Go program that panics
)

// Run runs the tool once with the input from the host. Call it once, as the last statement of main.
//
// Run decodes the input into In as encoding/json does, but keeps numbers exact: a number in an any
// is a json.Number. An integer field accepts a whole number in any spelling, such as 5.0 or 1e3.
// Fields that In lacks are ignored, since the host has checked the arguments against the manifest's
// schema. Empty input gives the zero In. If In is string, it gets the input unchanged, for
// module.stdin = "{parameter}".
//
// The package comment lists the output format for each type Out. Run writes no output if the tool
// fails. The message of an error goes to the caller, often a model, so say what to change. Run
// reports the value of a panic to the caller and writes the stack to standard error, for the
// author. ctx has no deadline, because the host stops a guest without notice.
//
// In a command, Run returns normally after success; it ends the program with exit code 1 for an
// error and 2 for a panic. In a reactor, Run always returns.
func Run[In, Out any](tool func(ctx context.Context, in In) (Out, error)) {
	ctx := context.Background()
	if serveCall(func(s streams) int { return serve(ctx, s, tool) }) {
		return
	}
	if code := Serve(ctx, os.Stdin, os.Stdout, os.Stderr, tool); code != exitOK {
		os.Exit(code)
	}
}

// Serve runs the tool as [Run] does in a command, but with the given streams in place of the
// standard streams. It returns the exit code: 0, 1 for an error, 2 for a panic. Use it in tests.
// Serve may be called concurrently if tool may.
func Serve[In, Out any](ctx context.Context, in io.Reader, out, errOut io.Writer, tool func(ctx context.Context, in In) (Out, error)) int {
	return serve(ctx, streams{input: in, output: out, failure: errOut, log: errOut}, tool)
}

// streams are the input and the outputs of a tool.
type streams struct {
	input  io.Reader
	output io.Writer
	// failure receives the message for the caller. log receives details for the author.
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

// answer runs one call: it decodes the input, runs the tool and writes the output.
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
