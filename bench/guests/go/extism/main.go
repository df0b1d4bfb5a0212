//go:build wasip1

// Command extism does the job as an Extism plug-in in Go. It calls Extism's imports without an SDK.
package main

import (
	"encoding/binary"
	"encoding/json"

	"github.com/wasmtool/wasmtool/bench/guests/go/count"
)

//go:wasmimport extism:host/env input_length
func inputLength() uint64

//go:wasmimport extism:host/env input_load_u8
func inputLoadU8(offset uint64) uint32

//go:wasmimport extism:host/env input_load_u64
func inputLoadU64(offset uint64) uint64

//go:wasmimport extism:host/env alloc
func alloc(length uint64) uint64

//go:wasmimport extism:host/env store_u8
func storeU8(offset uint64, value uint32)

//go:wasmimport extism:host/env store_u64
func storeU64(offset, value uint64)

//go:wasmimport extism:host/env output_set
func outputSet(offset, length uint64)

//go:wasmimport extism:host/env error_set
func errorSet(offset uint64)

func main() {}

// call is the exported function of the plug-in. It returns 0 for success.
//
//go:wasmexport call
func call() int32 {
	answer, err := serve(load())
	if err != nil {
		errorSet(store([]byte(err.Error())))
		return 1
	}
	outputSet(store(answer), uint64(len(answer)))
	return 0
}

func serve(input []byte) ([]byte, error) {
	var in count.Input
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, err
	}
	answer, err := count.Count(in)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

// load and store move eight bytes at a time where possible, like Extism's own libraries.

func load() []byte {
	length := inputLength()
	input := make([]byte, 0, length)
	var i uint64
	for ; i+8 <= length; i += 8 {
		input = binary.LittleEndian.AppendUint64(input, inputLoadU64(i))
	}
	for ; i < length; i++ {
		input = append(input, byte(inputLoadU8(i)))
	}
	return input
}

func store(b []byte) uint64 {
	length := uint64(len(b))
	at := alloc(length)
	var i uint64
	for ; i+8 <= length; i += 8 {
		storeU64(at+i, binary.LittleEndian.Uint64(b[i:]))
	}
	for ; i < length; i++ {
		storeU8(at+i, uint32(b[i]))
	}
	return at
}
