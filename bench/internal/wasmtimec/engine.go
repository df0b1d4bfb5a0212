//go:build wasmtime && cgo

package wasmtimec

// #include "engine.h"
import "C"

import (
	"errors"
	"unsafe"

	_ "github.com/bytecodealliance/wasmtime-go/v39" // the C library
)

// maxOutput is how many bytes a call may write.
const maxOutput = 4096

// Engine is a compiled module. It is safe for concurrent use.
type Engine struct{ engine *C.struct_engine }

// Open compiles a module, which is a WASI command or a wasmtool reactor. At most maxInstances
// instances of the module may run at once.
func Open(wasm []byte, command bool, maxInstances int) (*Engine, error) {
	var message [C.MESSAGE_SIZE]C.char
	e := C.engine_open((*C.uint8_t)(unsafe.SliceData(wasm)), C.size_t(len(wasm)), C.bool(command),
		C.uint32_t(maxInstances), &message[0])
	if e == nil {
		return nil, errors.New("wasmtime: " + C.GoString(&message[0]))
	}
	return &Engine{e}, nil
}

// Call runs the module once in a new instance and returns its output, at most 4 KiB.
func (e *Engine) Call(input []byte) ([]byte, error) {
	var message [C.MESSAGE_SIZE]C.char
	output := make([]byte, maxOutput)
	n := C.engine_call(e.engine, (*C.uint8_t)(unsafe.SliceData(input)), C.size_t(len(input)),
		(*C.uint8_t)(unsafe.SliceData(output)), maxOutput, &message[0])
	if n < 0 {
		return nil, errors.New("wasmtime: " + C.GoString(&message[0]))
	}
	return output[:n], nil
}

// Close frees the module. No call may be running.
func (e *Engine) Close() { C.engine_close(e.engine) }
