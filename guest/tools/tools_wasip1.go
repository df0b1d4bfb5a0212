package tools

import (
	"unsafe"

	"github.com/wasmtool/wasmtool/guest/internal/host"
)

//go:wasmimport wasmtool_v1 tool_call
//go:noescape
func importedCall(name *byte, nameSize uint32, arguments *byte, argumentsSize uint32) int32

//go:wasmimport wasmtool_v1 tool_result
//go:noescape
func importedResult(ptr *byte, size uint32) uint32

func call(name string, arguments []byte) ([]byte, error) {
	n, err := host.Check(importedCall(unsafe.StringData(name), uint32(len(name)), unsafe.SliceData(arguments), uint32(len(arguments))))
	if err != nil {
		return nil, err
	}
	result := make([]byte, n)
	importedResult(unsafe.SliceData(result), uint32(n))
	return result, nil
}
