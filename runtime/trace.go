package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/runtime/internal/compile"
	"github.com/wasmtool/wasmtool/runtime/internal/debuginfo"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Frame is a function on the call stack of a guest that trapped.
type Frame struct {
	// Function is the name in the module's name section, or "function 12".
	Function string
	// File and Line are the place in the source, if the module has line tables of DWARF. The path
	// is the path that the compiler wrote.
	File string
	Line int
}

// String returns "NAME at FILE:LINE". The module chose all of it: escape what is shown.
func (f Frame) String() string {
	if f.File == "" || f.Line == 0 {
		return f.Function
	}
	return fmt.Sprintf("%s at %s:%d", f.Function, f.File, f.Line)
}

// Trace returns the call stack of the guest for an [*Error] with the reason Trap of a call of the
// module, the innermost function first: at most 30 functions, or none if the engine did not record
// the stack. wasm is the module. Names and lines come from the module, which may lie. Trace takes
// time linear in the size of the module, so it is for an author who looks for an error.
func Trace(wasm []byte, err error) []Frame {
	var e *Error
	if !errors.As(err, &e) || e.Reason != Trap || e.cause == nil {
		return nil
	}
	places, err := rewrite.Originals(wasm, compile.Rewriting(), parseStack(e.cause.Error()))
	if err != nil {
		return nil // not the module of the error
	}
	functions, offsets := make(map[uint32]bool), make(map[uint32]bool)
	for _, p := range places {
		functions[p.Function] = true
		offsets[p.Offset] = p.Offset > 0
	}
	names, lines := debuginfo.Names(wasm, functions), debuginfo.Lines(wasm, offsets)
	frames := make([]Frame, len(places))
	for i, p := range places {
		at := lines[p.Offset]
		frames[i] = Frame{Function: names[p.Function], File: at.File, Line: at.Line}
		frames[i].Function = cmp.Or(frames[i].Function, fmt.Sprint("function ", p.Function))
	}
	return frames
}

// parseStack reads the stack in the message of an engine error. A guest has no name and no name
// section there, so its functions are ".$12"; the offset of the instruction is on the next line.
// Functions of late parts have other names, and are left out, but not their stubs.
func parseStack(message string) (places []rewrite.Place) {
	_, stack, _ := strings.Cut(message, "wasm stack trace:\n")
	for line := range strings.SplitSeq(stack, "\n") {
		line = strings.TrimPrefix(line, "\t")
		if index, ok := strings.CutPrefix(line, ".$"); ok {
			index, _, _ = strings.Cut(index, "(")
			if n, err := strconv.ParseUint(index, 10, 32); err == nil {
				places = append(places, rewrite.Place{Function: uint32(n)})
			}
		} else if at, ok := strings.CutPrefix(line, "\t0x"); ok && len(places) > 0 {
			at, _, _ = strings.Cut(at, ":")
			if n, err := strconv.ParseUint(at, 16, 32); err == nil {
				places[len(places)-1].Offset = uint32(n)
			}
		}
	}
	return places
}
