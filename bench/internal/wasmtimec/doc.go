// Package wasmtimec runs modules in wasmtime through its C API, with its pooling
// allocator, which the Go API of wasmtime does not offer. The whole of a call is one
// call from Go to C, so that the price of that is paid once.
//
// The C library is the one that wasmtime-go brings. Building against its headers needs
// cgo, the tag "wasmtime" and their folder in CGO_CFLAGS; run.sh sets all of it.
// Without the tag Open fails with ErrAbsent.
package wasmtimec

import "errors"

// ErrAbsent means that the program was built without wasmtime.
var ErrAbsent = errors.New("built without wasmtime; use run.sh, or the build tag wasmtime")
