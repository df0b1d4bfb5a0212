package main

import "unsafe"

// The first and the last descriptor that may be a preopened directory.
const (
	firstPreopen = 3
	lastPreopen  = 7
)

const (
	clockRealtime  = 0
	clockMonotonic = 1
)

// The WebAssembly instructions for which Go has no function.
func memorySize() uint32
func memoryGrow(pages uint32) uint32
func trap()

//go:wasmimport wasi_snapshot_preview1 fd_fdstat_get
//go:noescape
func fdFdstatGet(fd uint32, stat unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_fdstat_set_flags
func fdFdstatSetFlags(fd, flags uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_close
func fdClose(fd uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_readdir
//go:noescape
func fdReaddir(fd uint32, entries unsafe.Pointer, size uint32, cookie uint64, used unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 random_get
//go:noescape
func randomGet(to unsafe.Pointer, size uint32) uint32

//go:wasmimport wasi_snapshot_preview1 clock_time_get
//go:noescape
func clockTimeGet(clock uint32, precision uint64, time unsafe.Pointer) uint32
