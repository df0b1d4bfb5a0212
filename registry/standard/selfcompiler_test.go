package standard_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// embedder is a program that runs a tool whose module only a child process compiles.
const embedder = `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

func main() {
	compiler := runtime.SelfCompiler()
	if len(os.Args) > 2 {
		compiler = nil
	}
	tools, err := standard.New(standard.Options{
		Sources: standard.Sources{NoBuiltins: true, Tool: os.Args[1]},
		NoCache: true, Runtime: runtime.Options{CompileCommand: compiler},
	})
	if err != nil {
		panic(err)
	}
	defer tools.Close()
	result, err := tools.Execute(context.Background(), tool.Call{Tool: "branchy", Arguments: []byte("{}")})
	fmt.Println(result.Text(), err)
}
`

// A program of ten lines that runs itself as a child process can load a module that only a child
// process may compile. Without the child process, the error names the function to call.
func TestAProgramIsItsOwnCompiler(t *testing.T) {
	testlevel.Long(t, "it links a program")
	folder := t.TempDir()
	source, program := filepath.Join(folder, "main.go"), filepath.Join(folder, "embedder.exe")
	if err := os.WriteFile(source, []byte(embedder), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", program, source)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := branchyTool(t)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{dir}, "42 <nil>\n"},
		{[]string{dir, "without"}, "call runtime.SelfCompiler first in main and set CompileCommand to its result"},
	} {
		out, err := exec.Command(program, tt.args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("%d arguments: got %q, %v; want %q", len(tt.args), out, err, tt.want)
		}
	}
}

// branchyTool returns the directory of a tool that prints 42 and has a function with more branches
// than are compiled without a child process.
func branchyTool(t *testing.T) string {
	t.Helper()
	const ifOp, answerAt, bytesWritten = 0x04, 16, 32
	one := []byte{wasmtest.LocalGet, 0, ifOp, wasmtest.Empty, wasmtest.End}
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{
			{},
			{Params: []byte{wasmtest.I32, wasmtest.I32, wasmtest.I32, wasmtest.I32}, Results: []byte{wasmtest.I32}},
		},
		Imports: []wasmtest.Import{{Module: "wasi_snapshot_preview1", Name: "fd_write", Type: 1}},
		Funcs: []wasmtest.Func{
			{Body: wasmtest.Code(
				wasmtest.Const(1), wasmtest.Const(0), wasmtest.Const(1), wasmtest.Const(bytesWritten),
				wasmtest.CallFunc(0), []byte{wasmtest.Drop},
			)},
			{Locals: []byte{wasmtest.I32}, Body: bytes.Repeat(one, 14_000)},
		},
		Memory: []uint32{1, 1},
		// The iovec: pointer and length.
		Data:    []wasmtest.Data{{Offset: 0, Bytes: []byte{answerAt, 0, 0, 0, 2, 0, 0, 0}}, {Offset: answerAt, Bytes: []byte("42")}},
		Exports: []wasmtest.Export{{Name: "_start", Index: 1}, {Name: "memory", Kind: 2}},
	}
	const manifest = `manifest = 1
name = "branchy"
version = "0.1.0"
description = "Prints the answer."
module.path = "tool.wasm"
[parameters]
type = "object"
`
	dir := t.TempDir()
	for name, content := range map[string][]byte{"tool.toml": []byte(manifest), "tool.wasm": m.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
