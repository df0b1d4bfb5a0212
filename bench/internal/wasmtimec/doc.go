// Package wasmtimec runs modules in wasmtime through its C API with the pooling allocator, which
// wasmtime's Go API does not offer. A whole call of a module is one call from Go to C, so that the
// cost of cgo is paid once.
//
// The C library comes with wasmtime-go. Building against its headers needs cgo, the tag "wasmtime",
// and the directory of the headers in CGO_CFLAGS; run.sh sets all of them. Without the tag, Open
// fails with ErrAbsent.
package wasmtimec

import "errors"

// ErrAbsent means that the program was built without wasmtime.
var ErrAbsent = errors.New("built without wasmtime; use run.sh, or the build tag wasmtime")
