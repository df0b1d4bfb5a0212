package kv

import (
	"encoding/json"
	"errors"
	"unsafe"

	"github.com/wasmtool/wasmtool/guest/internal/host"
)

//go:wasmimport wasmtool_v1 kv_get
//go:noescape
func importedGet(key *byte, keySize uint32, ptr *byte, size uint32) int32

//go:wasmimport wasmtool_v1 kv_put
//go:noescape
func importedPut(key *byte, keySize uint32, value *byte, valueSize uint32) int32

//go:wasmimport wasmtool_v1 kv_delete
//go:noescape
func importedDelete(key *byte, keySize uint32) int32

//go:wasmimport wasmtool_v1 kv_swap
//go:noescape
func importedSwap(key *byte, keySize uint32, old *byte, oldSize uint32, value *byte, valueSize uint32) int32

//go:wasmimport wasmtool_v1 kv_list
//go:noescape
func importedList(prefix *byte, prefixSize uint32, after *byte, afterSize uint32, ptr *byte, size uint32) int32

// absent is the length that stands for a missing value.
const absent = 0xffff_ffff

func text(s string) (*byte, uint32) { return unsafe.StringData(s), uint32(len(s)) }

func bytes(b []byte) (*byte, uint32) { return unsafe.SliceData(b), uint32(len(b)) }

func optional(b []byte) (*byte, uint32) {
	if b == nil {
		return nil, absent
	}
	return bytes(b)
}

// read returns the data that a host function writes.
func read(call func(ptr *byte, size uint32) int32) ([]byte, error) {
	var failed error
	data := host.ReadAll(func(buffer []byte) int {
		n, err := host.Check(call(bytes(buffer)))
		failed = err
		return n
	})
	var f *HostError
	if errors.As(failed, &f) && f.Kind == "not_found" {
		return nil, ErrNotFound
	}
	return data, failed
}

func get(key string) ([]byte, error) {
	k, n := text(key)
	return read(func(ptr *byte, size uint32) int32 { return importedGet(k, n, ptr, size) })
}

func put(key string, value []byte) error {
	k, n := text(key)
	v, size := bytes(value)
	_, err := host.Check(importedPut(k, n, v, size))
	return err
}

func remove(key string) error {
	_, err := host.Check(importedDelete(text(key)))
	return err
}

func swap(key string, old, value []byte) (bool, error) {
	k, n := text(key)
	o, oldSize := optional(old)
	v, size := optional(value)
	swapped, err := host.Check(importedSwap(k, n, o, oldSize, v, size))
	return swapped == 1, err
}

func list(prefix, after string) ([]string, error) {
	p, n := text(prefix)
	a, m := text(after)
	data, err := read(func(ptr *byte, size uint32) int32 { return importedList(p, n, a, m, ptr, size) })
	if err != nil {
		return nil, err
	}
	var keys []string
	return keys, json.Unmarshal(data, &keys)
}
