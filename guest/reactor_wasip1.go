package guest

import (
	"io"
	"os"
	"unsafe"
)

// The functions of the host; see docs/abi.md of wasmtool. The host copies data before it returns
// and keeps no pointer.

//go:wasmimport wasmtool_v1 input_read
//go:noescape
func inputRead(ptr *byte, size uint32) uint32

//go:wasmimport wasmtool_v1 output_write
//go:noescape
func outputWrite(ptr *byte, size uint32) uint32

//go:wasmimport wasmtool_v1 error_write
//go:noescape
func errorWrite(ptr *byte, size uint32) uint32

// authorMain is the program's main. The Go runtime does not call main in a reactor. Each call
// therefore runs authorMain, so the same main works in commands and reactors. The author need not
// register the tool in a variable or an init function, which would also run in tests.
//
//go:linkname authorMain main.main
func authorMain()

// invocation is one call of a reactor.
type invocation struct {
	served bool
	code   int
}

// current is the running call, or nil in a command. It must be a package variable, since an
// exported function can't pass arguments to main. There is one thread, and the host makes one
// call at a time.
var current *invocation

// call is the export that the host calls in a reactor.
//
//go:wasmexport call
func call() int32 {
	current = new(invocation)
	authorMain()
	if !current.served {
		io.WriteString(hostWriter(errorWrite), "the tool's main returned without a call of guest.Run; call guest.Run in main")
		return exitFailed
	}
	return int32(current.code)
}

// serveCall calls serve with the streams of the running call. It returns false outside a call of a
// reactor.
func serveCall(serve func(streams) int) bool {
	if current == nil {
		return false
	}
	current.served = true
	current.code = serve(streams{
		input:   hostReader{},
		output:  hostWriter(outputWrite),
		failure: hostWriter(errorWrite),
		log:     os.Stderr,
	})
	return true
}

// hostReader reads the input of the call.
type hostReader struct{}

func (hostReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n := inputRead(unsafe.SliceData(p), uint32(len(p)))
	if n == 0 {
		return 0, io.EOF
	}
	return int(n), nil
}

// hostWriter writes through a host function, which accepts all bytes or terminates the guest.
type hostWriter func(ptr *byte, size uint32) uint32

func (w hostWriter) Write(p []byte) (int, error) {
	if len(p) > 0 {
		w(unsafe.SliceData(p), uint32(len(p)))
	}
	return len(p), nil
}
