package toolchain

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/wasmtool/wasmtool/internal/each"
)

func planGo(_ context.Context, _, out string, reactor bool) ([]Step, error) {
	if installed("go") == "" {
		return nil, &MissingError{"Go", "install it from https://go.dev/dl"}
	}
	args := []string{"go", "build", "-trimpath", "-buildvcs=false", "-o", out}
	if reactor {
		args = append(args, "-buildmode=c-shared")
	}
	return []Step{{Args: append(args, "."), Env: []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"}}}, nil
}

// rustTargets are the names of WASI preview 1 in new and old versions of Rust.
var rustTargets = []string{"wasm32-wasip1", "wasm32-wasi"}

// planRust uses cargo if the tool has a Cargo.toml and cargo is installed next to the compiler, and
// rustc otherwise.
func planRust(ctx context.Context, dir, out string, reactor bool) ([]Step, error) {
	// The compiler of a system may have the target when one of rustup does not.
	for _, rustc := range []string{os.Getenv("RUSTC"), "rustc", "/usr/bin/rustc"} {
		if rustc = installed(rustc); rustc == "" {
			continue
		}
		for _, target := range rustTargets {
			libraries := output(ctx, rustc, "--print", "target-libdir", "--target", target)
			if found, _ := filepath.Glob(filepath.Join(libraries, "libstd-*")); libraries == "" || len(found) == 0 {
				continue
			}
			// Cargo of another version does not understand the compiler.
			cargo := installed(filepath.Join(filepath.Dir(rustc), "cargo"))
			_, err := os.Stat(filepath.Join(dir, "Cargo.toml"))
			if err == nil && cargo != "" {
				// Other builds, which may have another compiler, use another directory.
				args := []string{cargo, "build", "--release", "--quiet", "--target", target, "--target-dir", "target/wasmtool"}
				return []Step{{
					Args: args, Env: []string{"RUSTC=" + rustc},
					produces: filepath.Join("target", "wasmtool", target, "release", "*.wasm"),
				}}, nil
			}
			source := mainSource(dir, ".rs", "main.rs")
			args := []string{rustc, "--target=" + target, "--edition=2021", "-C", "opt-level=s", "-C", "strip=debuginfo", "-o", out}
			if reactor {
				args = append(args, "--crate-type=cdylib")
			}
			return []Step{{Args: append(args, source)}}, nil
		}
	}
	return nil, &MissingError{"a compiler of Rust for WASI", "with rustup, run 'rustup target add wasm32-wasip1'; on Debian, 'apt install rustc libstd-rust-dev-wasm32 lld-14'"}
}

func planC(ctx context.Context, dir, out string, reactor bool) ([]Step, error) {
	sources, _ := filepath.Glob(filepath.Join(dir, "*.c"))
	compilers := []string{os.Getenv("CC"), "clang"}
	for _, version := range []string{"21", "20", "19", "18", "17", "16", "15", "14"} {
		compilers = append(compilers, "clang-"+version)
	}
	for _, clang := range compilers {
		if clang = installed(clang); clang == "" {
			continue
		}
		for _, target := range []string{"wasm32-wasip1", "wasm32-wasi"} {
			// clang prints the path of a file that it has, and otherwise the name.
			has := func(file string) bool {
				return filepath.IsAbs(output(ctx, clang, "--target="+target, "-print-file-name="+file))
			}
			if !has("libc.a") || !has("crt1-reactor.o") {
				continue
			}
			args := []string{clang, "--target=" + target, "-O2", "-o", out}
			if reactor {
				args = append(args, "-mexec-model=reactor")
			}
			return []Step{{Args: slices.Concat(args, each.Of(sources, filepath.Base))}}, nil
		}
	}
	return nil, &MissingError{"clang with a library for WASI", "on Debian, 'apt install clang-19 lld-19 libclang-rt-19-dev-wasm32 wasi-libc'; elsewhere, install the WASI SDK of https://github.com/WebAssembly/wasi-sdk and set CC to its clang"}
}

func planAssemblyScript(_ context.Context, dir, out string, reactor bool) ([]Step, error) {
	if installed("node") == "" || installed("npm") == "" {
		return nil, &MissingError{"Node.js with npm", "install it from https://nodejs.org"}
	}
	var steps []Step
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "assemblyscript")); err != nil {
		steps = append(steps, Step{Args: []string{"npm", "install", "--silent", "--no-fund", "--no-audit"}})
	}
	args := []string{"node", "node_modules/assemblyscript/bin/asc.js", mainSource(dir, ".ts", "index.ts"), "-O", "--outFile", out}
	if reactor {
		abort := "abort=wasmtool/abort"
		if _, err := os.Stat(filepath.Join(dir, sdkName+".ts")); err != nil { // it is a package
			abort = "abort=~lib/wasmtool/index/abort"
		}
		return append(steps, Step{Args: append(args, "--use", abort, "--exportStart", "_initialize")}), nil
	}
	shim := filepath.ToSlash(filepath.Join("node_modules", "@assemblyscript", "wasi-shim", "asconfig.json"))
	return append(steps, Step{Args: append(args, "--config", shim)}), nil
}

// sdkName is the name of the SDK's file in a tool, without the extension.
const sdkName = "wasmtool"

// mainSource returns the only source with the extension in dir, without the SDK. If there are
// several, it returns the source with the usual name.
func mainSource(dir, extension, usual string) string {
	sources, _ := filepath.Glob(filepath.Join(dir, "*"+extension))
	names := slices.DeleteFunc(each.Of(sources, filepath.Base), func(name string) bool { return name == sdkName+extension })
	if len(names) == 1 {
		return names[0]
	}
	return usual
}
