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

// reactorBuilder holds the functions through which a reactor gets its input and
// gives its output. All push and pull is the guest's: nothing is allocated in it,
// and nothing it says is believed but for ranges that lie in its memory.
func (e *engine) reactorBuilder() wazero.HostModuleBuilder {
	b := e.runtime.NewHostModuleBuilder(reactorModule)
	i32 := api.ValueTypeI32
	export := func(name string, params int, f func(s *callState, mem api.Memory, stack []uint64)) {
		types := make([]api.ValueType, params)
		for i := range types {
			types[i] = i32
		}
		b.NewFunctionBuilder().
			WithGoModuleFunction(e.onCall(f), types, []api.ValueType{i32}).
			Export(name)
	}
	export("input_len", 0, func(s *callState, _ api.Memory, stack []uint64) {
		stack[0] = api.EncodeU32(uint32(s.stdin.Size()))
	})
	export("input_read", 2, func(s *callState, mem api.Memory, stack []uint64) {
		n, _ := s.stdin.Read(guestRange(s, mem, stack)) // the end reads nothing
		stack[0] = api.EncodeU32(uint32(n))
	})
	export("output_write", 2, func(s *callState, mem api.Memory, stack []uint64) {
		if _, err := s.write(guestRange(s, mem, stack)); err != nil {
			panic(sys.NewExitError(stopped)) // the call is stopped
		}
		stack[0] = 0
	})
	export("error_write", 2, func(s *callState, mem api.Memory, stack []uint64) {
		s.failure.Write(guestRange(s, mem, stack))
		stack[0] = 0
	})
	return b
}

// onCall makes a host function of f that serves the call of the instance which
// called it.
func (e *engine) onCall(f func(s *callState, mem api.Memory, stack []uint64)) api.GoModuleFunc {
	return func(_ context.Context, mod api.Module, stack []uint64) {
		i := e.onGuest(mod)
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

// errorText keeps the beginning of what a guest writes as its error.
type errorText struct{ data []byte }

func (t *errorText) Write(p []byte) {
	room := maxErrorText - len(t.data)
	t.data = append(t.data, p[:min(len(p), room)]...)
}
