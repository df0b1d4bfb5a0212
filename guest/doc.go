// Package guest is the SDK for authors of wasmtool tools in Go. A tool is a function from its
// arguments to its output, and main passes it to [Run]:
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
// The same source builds in both forms that wasmtool runs. The host detects the form from the
// module:
//
//	GOOS=wasip1 GOARCH=wasm go build -trimpath -o hello.wasm                        # command
//	GOOS=wasip1 GOARCH=wasm go build -trimpath -buildmode=c-shared -o hello.wasm    # reactor
//
// Built for any other system, the tool is a plain program. It reads its arguments from standard
// input and writes to standard output, so an author can try and debug it natively. [Serve] runs a
// tool in a test as the host does.
//
// # Output
//
// The type of the output decides what is written, and the manifest must set module.output to
// match:
//
//	string          the string unchanged        output = "text"
//	Result          content blocks, structure   output = "result"
//	anything else   one JSON value              output = "json"
//
// # Forms
//
// A command runs main once. In a reactor, _initialize first initialises the packages; then each
// call of the exported function "call" runs main. Every call starts with the variables as
// _initialize left them. The work of init functions is therefore paid for once, and no state
// passes from one call to the next. Flags and os.Args work only in commands. The standard output
// of a reactor is a log.
//
// A command also has the export "call" and the imports from wasmtool_v1 that "call" needs,
// because the linker keeps what is exported. The command does not use these imports. Wasmtool
// provides them; any other host must provide them too.
package guest
