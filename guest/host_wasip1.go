package guest

import "unsafe"

//go:wasmimport wasmtool_v1 log
//go:noescape
func importedLog(level uint32, ptr *byte, size uint32) uint32

//go:wasmimport wasmtool_v1 progress
//go:noescape
func importedProgress(done, total float64, ptr *byte, size uint32) uint32

//go:wasmimport wasmtool_v1 update
//go:noescape
func importedUpdate(ptr *byte, size uint32) int32

//go:wasmimport wasmtool_v1 context_read
//go:noescape
func importedContext(ptr *byte, size uint32) uint32

func hostLog(level Level, text string) {
	importedLog(uint32(level), unsafe.StringData(text), uint32(len(text)))
}

func hostProgress(done, total float64, message string) {
	importedProgress(done, total, unsafe.StringData(message), uint32(len(message)))
}

func hostUpdate(text []byte) int32 {
	return importedUpdate(unsafe.SliceData(text), uint32(len(text)))
}

func hostContext(buffer []byte) int {
	return int(importedContext(unsafe.SliceData(buffer), uint32(len(buffer))))
}
