package secret

import "unsafe"

//go:wasmimport wasmtool_v1 secret_exists
//go:noescape
func importedExists(name *byte, nameSize uint32) uint32

func exists(name string) bool {
	return importedExists(unsafe.StringData(name), uint32(len(name))) == 1
}
