package runtime

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Info is what can be told of a module without running any of it.
type Info struct {
	// Digest is the SHA-256 of the bytes in hex.
	Digest string
	// Bytes is the size of the module.
	Bytes int
	// ABI is the form of the module, empty when it cannot run here.
	ABI ABI
	// Problem says why the module cannot run here; empty when it can. A module that is
	// slow to compile can, but needs Options.CompileCommand.
	Problem string
	// Report is the module's structure.
	Report rewrite.Report
}

// Inspect reads a module's structure. It compiles and runs nothing. Bytes that are
// no WASM module give an *Error with the reason InvalidModule; a module that is
// well-formed but cannot run here gives an Info with a Problem.
func Inspect(wasm []byte) (Info, error) {
	report, err := rewrite.Inspect(wasm)
	if err != nil {
		return Info{}, fromRewrite(err)
	}
	sum := sha256.Sum256(wasm)
	info := Info{Digest: hex.EncodeToString(sum[:]), Bytes: len(wasm), Report: *report}
	if _, _, err := rewrite.Rewrite(wasm, rewritingAny); err != nil {
		info.Problem = fromRewrite(err).Error()
	} else if err := checkImports(report); err != nil {
		info.Problem = err.Error()
	} else if entry, err := findEntry(report, "", ""); err != nil {
		info.Problem = err.Error()
	} else {
		info.ABI = entry.ABI
	}
	return info, nil
}
