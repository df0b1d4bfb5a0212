// Package guest is what an author of a tool for wasmtool imports. A tool is a
// function from its arguments to its output, and main hands it to Run:
//
//	type input struct {
//		Name string `json:"name"`
//	}
//
//	func main() {
//		guest.Run(func(_ context.Context, in input) (string, error) {
//			return "Hello, " + in.Name + "!", nil
//		})
//	}
//
// The same source builds in both forms that wasmtool runs, and the host reads off
// the module which of them it is:
//
//	GOOS=wasip1 GOARCH=wasm go build -trimpath -o hello.wasm                        # command
//	GOOS=wasip1 GOARCH=wasm go build -trimpath -buildmode=c-shared -o hello.wasm    # reactor
//
// For any other system it builds a plain program that reads its arguments from
// standard input and writes to standard output, so a tool can be tried and debugged
// natively. Serve runs a tool in a test as its host would.
//
// # Output
//
// The type of the output decides what is written, and so which module.output the
// manifest must name:
//
//	string          the text as it is           output = "text"
//	Result          content blocks, structure   output = "result"
//	anything else   one JSON value              output = "json"
//
// # Forms
//
// A command runs main once. In a reactor, main is run by each call of the exported
// function "call", after _initialize has initialised the packages. In each call
// variables have the values that they had then, so what init functions prepare is paid
// for once, and nothing is kept from one call to the next. Flags and os.Args are for
// commands, and standard output of a reactor is a log.
//
// A command has the export "call" as well, and with it the imports from
// wasmtool_v1, because the linker keeps what is exported. It does not use them, and
// wasmtool provides them; a host of another kind would have to.
package guest
