package runtime

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/compile"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Info describes a module; none of its code was run.
type Info struct {
	// Digest is the SHA-256 of the bytes in hex.
	Digest string
	// Bytes is the size of the module.
	Bytes int
	// ABI is the ABI of the module; empty when the module cannot run here.
	ABI ABI
	// Kind says what the module is, in a few words, such as "a WASI command" or "an Emscripten
	// module for JavaScript".
	Kind string
	// Problem is why the module cannot run here; empty when it can. A module that is slow to
	// compile can run, but needs [Options].CompileCommand.
	Problem string
	// Report is the module's structure.
	Report rewrite.Report
}

// Inspect reads a module's structure. It compiles and runs nothing. Bytes that are not a WASM
// module give an [*Error] with the reason InvalidModule. A well-formed module that cannot run here
// gives an Info with a Problem.
func Inspect(wasm []byte) (Info, error) {
	report, err := compile.Check(wasm)
	if report == nil {
		return Info{}, fromCompile(err)
	}
	sum := sha256.Sum256(wasm)
	info := Info{Digest: hex.EncodeToString(sum[:]), Bytes: len(wasm), Report: *report}
	var entry abi.Entry
	if err == nil {
		entry, err = abi.FindEntry(report, "", "")
	}
	if err != nil {
		info.Problem = err.Error()
	} else {
		info.ABI = ABI(entry.Form)
	}
	info.Kind = kindOf(report, info)
	return info, nil
}

func kindOf(report *rewrite.Report, info Info) string {
	switch {
	case abi.ImportsExtism(report):
		return "an Extism plug-in"
	case info.ABI == Command:
		return "a WASI command"
	case info.ABI == Reactor:
		return "a reactor"
	case report.Origin().Name != "":
		return report.Origin().Name
	}
	return "a core module"
}

// EngineVersion returns the version of the WASM engine that this program was built with. It returns
// "" where the build does not record the version, as in tests.
func EngineVersion() string { return compile.EngineVersion() }
