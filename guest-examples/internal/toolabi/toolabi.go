// Package toolabi connects a tool to the command ABI. Arguments come as one JSON object on stdin,
// and output goes to stdout. A failure is a message on stderr with exit code 1.
package toolabi

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
)

// MaxInput limits the argument object, in bytes.
const MaxInput = 8 << 20

// Tool runs one call: input is the argument object, and the output goes to out. The error message
// is written for a model.
type Tool func(input []byte, out io.Writer) error

// Main runs the tool that args[1] names and returns the exit code of the process: 0, or 1 if the
// tool failed or does not exist. args are the arguments of the process, with the program name
// first.
func Main(tools map[string]Tool, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if err := run(tools, args, stdin, stdout); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func run(tools map[string]Tool, args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 2 || tools[args[1]] == nil {
		names := strings.Join(slices.Sorted(maps.Keys(tools)), ", ")
		return fmt.Errorf("the first argument must name one of the tools of this module: %s", names)
	}
	out := bufio.NewWriterSize(stdout, 64<<10)
	warmUp()
	input, err := io.ReadAll(io.LimitReader(stdin, MaxInput+1))
	if err != nil {
		return fmt.Errorf("the arguments on stdin can't be read: %w", err)
	}
	if len(input) > MaxInput {
		return fmt.Errorf("the arguments are larger than %d bytes", MaxInput)
	}
	if err := tools[args[1]](input, out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("the output can't be written: %w", err)
	}
	return nil
}

// warmUp encodes a dummy result, and allocates memory of each size once. The host takes a snapshot
// of the memory when the module first reads input, and begins each call with that snapshot. Types
// are therefore inspected once, instead of in each call, and the allocator has memory of each size
// ready.
func warmUp() {
	metadata := map[string]any{"text": "", "int": 0, "int64": int64(0), "flag": false}
	_ = WriteResult(io.Discard, TextResult("title", "text", metadata))
	const limit = 8192 // bytes
	var kept [][]byte
	var pointers [][]*byte
	for size := 8; size <= limit; size += max(8, size/16&^7) {
		kept = append(kept, make([]byte, size))
		pointers = append(pointers, make([]*byte, size/8))
	}
	runtime.KeepAlive(kept)
	runtime.KeepAlive(pointers)
}
