//go:build wasip1

package main

// The host functions with integers in place of pointers, so that a script can pass values that no
// SDK would pass.

//go:wasmimport wasmtool_v1 http_request
func httpRequest(head, headSize, body, bodySize uint32) int32

//go:wasmimport wasmtool_v1 http_head
func httpHead(handle, ptr, size uint32) int32

//go:wasmimport wasmtool_v1 http_read
func httpRead(handle, ptr, size uint32) int32

//go:wasmimport wasmtool_v1 http_close
func httpClose(handle uint32) int32

//go:wasmimport wasmtool_v1 secret_exists
func secretExists(ptr, size uint32) int32

//go:wasmimport wasmtool_v1 fault_read
func errorRead(ptr, size uint32) uint32

//go:wasmimport wasmtool_v1 kv_get
func kvGet(key, keySize, ptr, size uint32) int32

//go:wasmimport wasmtool_v1 kv_put
func kvPut(key, keySize, value, valueSize uint32) int32

//go:wasmimport wasmtool_v1 kv_delete
func kvDelete(key, keySize uint32) int32

//go:wasmimport wasmtool_v1 kv_swap
func kvSwap(key, keySize, old, oldSize, value, valueSize uint32) int32

//go:wasmimport wasmtool_v1 kv_list
func kvList(prefix, prefixSize, after, afterSize, ptr, size uint32) int32

//go:wasmimport wasmtool_v1 log
func hostLog(level, ptr, size uint32) uint32

//go:wasmimport wasmtool_v1 update
func hostUpdate(ptr, size uint32) int32

//go:wasmimport wasmtool_v1 progress
func hostProgress(done, total float64, ptr, size uint32) uint32
