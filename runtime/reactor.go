package runtime

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
)

// reactorModule is the name under which guests import the functions of docs/abi.md.
// The list is frozen in testdata/abi/v1.json.
const reactorModule = "wasmtool_v1"

// maxErrorText is how many bytes a guest's error text may have; the rest is dropped.
const maxErrorText = 16 << 10

// errBadRange is the cause of a call whose guest named memory that it has not.
var errBadRange = errors.New("a pointer and length outside of the guest's memory")

// reactorBuilder holds the functions of reactorModule. All push and pull is the
// guest's: nothing is allocated in it, and nothing it says is believed but for ranges
// that lie in its memory.
func (e *engine) reactorBuilder() wazero.HostModuleBuilder {
	b := e.runtime.NewHostModuleBuilder(reactorModule)
	x := exporter{e, b}
	x.inputAndOutput()
	x.talk()
	x.web()
	x.store()
	x.files()
	x.replace()
	x.digest()
	return b
}

// exporter adds functions to reactorModule.
type exporter struct {
	e *engine
	b wazero.HostModuleBuilder
}

// hostCall is a function of the host: it serves call s of a guest with memory mem. It
// finds its parameters on the stack and leaves its result there.
type hostCall func(s *callState, mem api.Memory, stack []uint64)

const (
	i32 = api.ValueTypeI32
	f64 = api.ValueTypeF64
)

// add exports f with parameters of the types given and an i32 as its result.
func (x exporter) add(name string, f hostCall, params ...api.ValueType) {
	x.b.NewFunctionBuilder().WithGoModuleFunction(x.e.onCall(f, hostSizes[reactorModule][name]), params, []api.ValueType{i32}).Export(name)
}

// inputAndOutput adds how a reactor gets its input and gives its output.
func (x exporter) inputAndOutput() {
	x.add("input_len", func(s *callState, _ api.Memory, stack []uint64) {
		stack[0] = api.EncodeU32(uint32(s.stdin.Size()))
	})
	x.add("input_read", func(s *callState, mem api.Memory, stack []uint64) {
		n, _ := s.stdin.Read(guestRange(s, mem, stack)) // the end reads nothing
		stack[0] = api.EncodeU32(uint32(n))
	}, i32, i32)
	x.add("output_write", func(s *callState, mem api.Memory, stack []uint64) {
		if _, err := s.write(guestRange(s, mem, stack)); err != nil {
			panic(sys.NewExitError(stopped)) // the call is stopped
		}
		stack[0] = 0
	}, i32, i32)
	x.add("error_write", func(s *callState, mem api.Memory, stack []uint64) {
		s.failure.Write(guestRange(s, mem, stack))
		stack[0] = 0
	}, i32, i32)
}

// onCall makes a host function of f that serves the call of the instance which
// called it, after that paid for the sizes.
func (e *engine) onCall(f hostCall, sizes []size) api.GoModuleFunc {
	return func(_ context.Context, mod api.Module, stack []uint64) {
		i := e.onGuest(mod)
		i.take(sizes, stack)
		i.taintByCall("it uses its call while it starts")
		f(i.current.Load(), mod.Memory(), stack)
	}
}

// guestRange returns the memory that a pointer and a length on the stack name, or
// ends the call. It is the guest's own memory: copy what must outlive the call of
// the host function.
func guestRange(s *callState, mem api.Memory, stack []uint64) []byte {
	b, ok := mem.Read(api.DecodeU32(stack[0]), api.DecodeU32(stack[1]))
	if !ok {
		s.stop(errBadRange)
		panic(sys.NewExitError(stopped))
	}
	return b
}

// errorText keeps the beginning of what a guest writes as its error, and counts the rest.
type errorText struct {
	data    []byte
	dropped int64
}

func (t *errorText) Write(p []byte) {
	kept := min(len(p), maxErrorText-len(t.data))
	t.data = append(t.data, p[:kept]...)
	t.dropped += int64(len(p) - kept)
}
