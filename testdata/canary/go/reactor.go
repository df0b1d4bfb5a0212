package main

import "unsafe"

//go:wasmimport wasmtool_v1 input_read
//go:noescape
func inputRead(ptr unsafe.Pointer, size uint32) uint32

//go:wasmimport wasmtool_v1 output_write
//go:noescape
func outputWrite(ptr unsafe.Pointer, size uint32) uint32

// call is the function that the host calls in a reactor.
//
//go:wasmexport call
func call() int32 {
	var input [4096]byte
	n := inputRead(unsafe.Pointer(&input), uint32(len(input)))
	return int32(canary(string(input[:n]), func(text []byte) {
		outputWrite(unsafe.Pointer(unsafe.SliceData(text)), uint32(len(text)))
	}))
}
