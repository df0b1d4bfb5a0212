package runtime

import (
	"encoding/json"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// talk adds what a guest tells while it runs, and what it is told of its call.
func (x exporter) talk() {
	x.add("log", func(s *callState, mem api.Memory, stack []uint64) {
		text := guestRange(s, mem, stack[1:])
		if !s.isWarmUp {
			s.call.Bindings.Talk.Log(hostfuncs.LogLevel(api.DecodeU32(stack[0])), text)
		}
		stack[0] = 0
	}, i32, i32, i32)
	x.add("progress", func(s *callState, mem api.Memory, stack []uint64) {
		message := guestRange(s, mem, stack[2:])
		if !s.isWarmUp {
			s.call.Bindings.Talk.Progress(api.DecodeF64(stack[0]), api.DecodeF64(stack[1]), message)
		}
		stack[0] = 0
	}, f64, f64, i32, i32)
	x.add("update", func(s *callState, mem api.Memory, stack []uint64) {
		text := guestRange(s, mem, stack)
		stack[0] = s.attempt(func() (uint32, error) {
			if s.isWarmUp {
				return 0, nil
			}
			return 0, s.call.Bindings.Talk.Update(text)
		})
	}, i32, i32)
	x.add("context_read", func(s *callState, mem api.Memory, stack []uint64) {
		about := []byte("{}") // a warm-up serves no call
		if !s.isWarmUp {
			about, _ = json.Marshal(s.call.Bindings.About()) // of texts and a number, it cannot fail
		}
		stack[0] = handOver(about, guestRange(s, mem, stack))
	}, i32, i32)
	// The call of a guest whose call was cancelled ends here, as in every function.
	x.add("cancelled", func(_ *callState, _ api.Memory, stack []uint64) { stack[0] = 0 })
}

// handOver copies as much of data as fits into the guest's buffer, and returns the length
// of all of it.
func handOver(data, buffer []byte) uint64 {
	copy(buffer, data)
	return api.EncodeU32(uint32(len(data)))
}
