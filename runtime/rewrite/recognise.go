package rewrite

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// headerBytes is the length of the magic number and the version.
const headerBytes = 8

// checkHeader refuses a file that does not start like a core module. Its error states which format
// the file probably has.
func checkHeader(wasm []byte) *Error {
	if len(wasm) == 0 {
		return &Error{Kind: Empty, Message: "the file is empty: build the module again"}
	}
	magic := []byte("\x00asm")
	if len(wasm) < headerBytes && (bytes.HasPrefix(wasm, magic) || bytes.HasPrefix(magic, wasm)) {
		return refuse(len(wasm), Truncated, "the file has only %d of the 8 header bytes: build or copy it again", len(wasm))
	}
	if !bytes.HasPrefix(wasm, magic) {
		return notWasm(wasm)
	}
	version, layer := uint16(wasm[4])|uint16(wasm[5])<<8, uint16(wasm[6])|uint16(wasm[7])<<8
	switch {
	case layer == 1:
		return refuse(4, Component, "this is a component; only core modules run: build for wasip1 (Go: GOOS=wasip1 GOARCH=wasm, Rust: --target wasm32-wasip1)")
	case version != 1 || layer != 0:
		return refuse(4, Version, "WASM binary version %d (layer %d) is not supported; only version 1 runs", version, layer)
	}
	return nil
}

// notWasm guesses what a file without the magic number is.
func notWasm(b []byte) *Error {
	if isText(b) {
		return &Error{Kind: Text, Message: "this is WebAssembly text; assemble it with wat2wasm and use the .wasm file"}
	}
	lookalikes := []struct{ prefix, message string }{
		{"\x7fELF", "this is a native Linux program, not WASM: build for wasip1 (Go: GOOS=wasip1 GOARCH=wasm, Rust: --target wasm32-wasip1)"},
		{"\xcf\xfa\xed\xfe", "this is a native macOS program, not WASM: build for wasip1"},
		{"MZ", "this is a native Windows program, not WASM: build for wasip1"},
		{"\x1f\x8b", "this is a gzip file, not WASM: unpack it first"},
		{"\x28\xb5\x2f\xfd", "this is a zstd file, not WASM: unpack it first"},
		{"PK\x03\x04", "this is a zip archive, not WASM: unpack it first"},
		{"BC\xc0\xde", "this is LLVM bitcode, not WASM: link it first"},
		{"!<arch>\n", "this is a static library, not WASM: link it first"},
		{"version https://git-lfs", "this is a Git LFS pointer, not WASM: run git lfs pull"},
		{"#!", "this is a script, not WASM"},
		{"<", "this is HTML or XML, not WASM: perhaps an error page was saved in its place"},
	}
	for _, l := range lookalikes {
		if bytes.HasPrefix(b, []byte(l.prefix)) {
			return &Error{Kind: NotWasm, Message: l.message}
		}
	}
	return &Error{Kind: NotWasm, Message: `this is not a WASM module: it does not start with "\0asm"`}
}

// isText reports whether b starts with "(module" or another field of the text format, after white
// space and comments. Block comments nest.
func isText(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	for depth := 0; len(b) > 0; {
		switch {
		case depth == 0 && bytes.HasPrefix(b, []byte(";;")):
			_, b, _ = bytes.Cut(b, []byte("\n"))
		case bytes.HasPrefix(b, []byte("(;")):
			depth++
			b = b[2:]
		case depth > 0 && bytes.HasPrefix(b, []byte(";)")):
			depth--
			b = b[2:]
		case depth > 0 || bytes.IndexByte([]byte(" \t\r\n"), b[0]) >= 0:
			b = b[1:]
		default:
			field := `^\([ \t\r\n]*(module|component|func|import|export|memory|type)([ \t\r\n()$";]|$)`
			return regexp.MustCompile(field).Match(b)
		}
	}
	return false
}

// Origin says what a module was built with or for, if that is why it does not run under WASI.
type Origin struct {
	// Name is a noun phrase, such as "an Emscripten module".
	Name string
	// Fix says how to build the module instead.
	Fix string
}

const buildWASI = "Go: GOOS=wasip1 GOARCH=wasm, Rust: --target wasm32-wasip1, C: clang --target=wasm32-wasip1"

// origins are recognised by their imports, the first that fits. An import fits if its module is in
// modules, and its name has one of the prefixes; no prefixes mean any name.
var origins = []struct {
	modules, prefixes []string
	Origin
}{
	{
		[]string{"env"},
		[]string{"emscripten_", "_emscripten", "_embind", "__syscall_", "_abort_js", "invoke_", "__cxa_", "_tzset_js", "_mmap_js", "_munmap_js"},
		Origin{"an Emscripten module for JavaScript", "link it with -sSTANDALONE_WASM, or build it with " + buildWASI},
	},
	{
		[]string{"a"},
		nil,
		Origin{"an Emscripten module for JavaScript, with shortened names", "link it with -sSTANDALONE_WASM, or build it with " + buildWASI},
	},
	{[]string{"gojs", "go"}, nil, Origin{"a Go program for JavaScript", "build it with GOOS=wasip1 instead of GOOS=js"}},
	{
		[]string{"wbg", "__wbindgen_placeholder__", "__wbindgen_externref_xform__"},
		nil,
		Origin{"a wasm-bindgen module for JavaScript", "build it with --target wasm32-wasip1 and without wasm-bindgen"},
	},
	{
		[]string{"env"},
		[]string{"abort", "seed", "trace"},
		Origin{"an AssemblyScript module for JavaScript", "compile it with @assemblyscript/wasi-shim, or with --use abort=wasmtool/abort as in docs/abi.md"},
	},
	{[]string{"wasi_unstable"}, nil, Origin{"a program for an old version of WASI", "build it with a compiler that has WASI preview 1: " + buildWASI}},
}

// componentPrefix begins the names of modules from which the core module of a component imports.
const componentPrefix = "wasi:"

// Origin recognises what the module was built with or for. It returns the zero value for a module
// that it does not know, such as a module for WASI. It guesses from names, which the module chose.
func (r *Report) Origin() Origin {
	has := func(fits func(Import) bool) bool { return slices.ContainsFunc(r.Imports, fits) }
	if has(func(i Import) bool { return strings.HasPrefix(i.Module, componentPrefix) }) {
		return Origin{"the core module of a component", "build for WASI preview 1: " + buildWASI}
	}
	for _, o := range origins {
		if has(func(i Import) bool {
			return slices.Contains(o.modules, i.Module) && (o.prefixes == nil ||
				slices.ContainsFunc(o.prefixes, func(p string) bool { return strings.HasPrefix(i.Name, p) }))
		}) {
			return o.Origin
		}
	}
	return Origin{}
}
