package rewrite

import (
	"bytes"
	"regexp"
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
