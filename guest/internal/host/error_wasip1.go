package host

import "unsafe"

//go:wasmimport wasmtool_v1 fault_read
//go:noescape
func importedErrorRead(ptr *byte, size uint32) uint32

func readError(buffer []byte) int {
	return int(importedErrorRead(unsafe.SliceData(buffer), uint32(len(buffer))))
}
