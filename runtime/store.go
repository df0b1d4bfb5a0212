package runtime

import (
	"encoding/json"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// absent is the length that stands for a value that is not there.
const absent = 0xffff_ffff

// store adds the key-value store.
func (x exporter) store() {
	x.add("kv_get", func(s *callState, mem api.Memory, stack []uint64) {
		key, buffer := guestRange(s, mem, stack), guestRange(s, mem, stack[2:])
		stack[0] = s.attempt(func() (uint32, error) {
			value, err := s.kv().Get(s.hostContext(), key)
			return uint32(handOver(value, buffer)), err
		})
	}, i32, i32, i32, i32)
	x.add("kv_put", func(s *callState, mem api.Memory, stack []uint64) {
		key, value := guestRange(s, mem, stack), guestRange(s, mem, stack[2:])
		stack[0] = s.attempt(func() (uint32, error) { return 0, s.kv().Put(s.hostContext(), key, value) })
	}, i32, i32, i32, i32)
	x.add("kv_delete", func(s *callState, mem api.Memory, stack []uint64) {
		key := guestRange(s, mem, stack)
		stack[0] = s.attempt(func() (uint32, error) { return 0, s.kv().Delete(s.hostContext(), key) })
	}, i32, i32)
	x.add("kv_swap", func(s *callState, mem api.Memory, stack []uint64) {
		key := guestRange(s, mem, stack)
		old, value := optionalRange(s, mem, stack[2:]), optionalRange(s, mem, stack[4:])
		stack[0] = s.attempt(func() (uint32, error) {
			swapped, err := s.kv().Swap(s.hostContext(), key, old, value)
			if swapped {
				return 1, err
			}
			return 0, err
		})
	}, i32, i32, i32, i32, i32, i32)
	x.add("kv_list", func(s *callState, mem api.Memory, stack []uint64) {
		prefix, after := guestRange(s, mem, stack), guestRange(s, mem, stack[2:])
		buffer := guestRange(s, mem, stack[4:])
		stack[0] = s.attempt(func() (uint32, error) {
			keys, err := s.kv().List(s.hostContext(), prefix, after)
			if err != nil {
				return 0, err
			}
			text, err := json.Marshal(append([]string{}, keys...)) // an empty list, not null
			return uint32(handOver(text, buffer)), err
		})
	}, i32, i32, i32, i32, i32, i32)
}

// kv is the store of the call, nil where there is none.
func (s *callState) kv() *hostfuncs.Store {
	if s.isWarmUp {
		return nil
	}
	return s.call.Bindings.Store
}

// optionalRange is what guestRange returns, or nil for what is absent.
func optionalRange(s *callState, mem api.Memory, stack []uint64) []byte {
	if api.DecodeU32(stack[1]) == absent {
		return nil
	}
	return guestRange(s, mem, stack)
}
