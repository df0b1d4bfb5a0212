package host

import "unsafe"

//go:wasmimport wasmtool_v1 fault_read
//go:noescape
func importedFault(ptr *byte, size uint32) uint32

func readFault(buffer []byte) int {
	return int(importedFault(unsafe.SliceData(buffer), uint32(len(buffer))))
}
