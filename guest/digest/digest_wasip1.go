package digest

import (
	"crypto/sha256"
	"unsafe"
)

//go:wasmimport wasmtool_v1 sha256
//go:noescape
func importedSHA256(data *byte, dataSize uint32, ptr *byte, size uint32) int32

func sum(data []byte) (digest [sha256.Size]byte) {
	if importedSHA256(unsafe.SliceData(data), uint32(len(data)), &digest[0], uint32(len(digest))) < 0 {
		return sha256.Sum256(data) // data exceeds the host's limit
	}
	return digest
}
