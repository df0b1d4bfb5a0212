package wasm

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// writer returns a command that writes the word "hello" to a descriptor, and then runs body.
func writer(fd int32, body ...[]byte) wasmtest.Module {
	const iov, text, written = 0, 16, 32
	m := command(
		wasmtest.Const(fd), wasmtest.Const(iov), wasmtest.Const(1), wasmtest.Const(written), wasmtest.CallFunc(0), []byte{wasmtest.Drop},
		wasmtest.Code(body...),
	)
	i32 := byte(wasmtest.I32)
	m.Types = append(m.Types, wasmtest.FuncType{Params: []byte{i32, i32, i32, i32}, Results: []byte{i32}}, wasmtest.FuncType{Params: []byte{i32}})
	m.Imports = []wasmtest.Import{{Module: "wasi_snapshot_preview1", Name: "fd_write", Type: 1}, {Module: "wasi_snapshot_preview1", Name: "proc_exit", Type: 2}}
	m.Exports[0].Index = 2
	m.Data = []wasmtest.Data{{Offset: iov, Bytes: []byte{text, 0, 0, 0, 5, 0, 0, 0}}, {Offset: text, Bytes: []byte("hello")}}
	return m
}

// However a guest fails, its error has what the guest wrote.
func TestFailureHasTheOutputOfTheGuest(t *testing.T) {
	const out, err = 1, 2
	const note = "(standard error is empty; this is the end of standard output)\n"
	tests := []struct {
		name string
		ends []byte
		code tool.Code
	}{
		{"trap", []byte{wasmtest.Unreachable}, tool.CodeTrap},
		{"exit code", wasmtest.Code(wasmtest.Const(3), wasmtest.CallFunc(1)), tool.CodeExecution},
		{"timeout", forever(), tool.CodeTimeout},
		{"fuel", forever(), tool.CodeResourceExhausted},
		{"bad range", nil, tool.CodeBadGuest},
	}
	for _, tt := range tests {
		for fd, want := range map[int32]string{out: note + "hello", err: "hello"} {
			m, keys := writer(fd, tt.ends), ""
			switch tt.code {
			case tool.CodeResourceExhausted:
				keys = "limits.fuel = 100_000\n"
			case tool.CodeBadGuest:
				m = badRange(fd)
			}
			e := newExecutor(t, runtime.Options{}, files.Options{}, m, keys)
			if err := e.Prepare(context.Background()); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			if tt.code == tool.CodeTimeout {
				ctx, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
			}
			_, failed := e.Execute(ctx, tool.Invocation{Arguments: []byte("{}"), Text: func(string) (string, bool) { return "", false }})
			cancel()
			got, ok := failed.(*tool.Error)
			if !ok || got.Code != tt.code || got.Details.Stderr != want {
				t.Errorf("%s, descriptor %d: %v with %q", tt.name, fd, failed, got.Details.Stderr)
			}
		}
	}
}

// badRange is writer with a body that passes a range outside of its memory.
func badRange(fd int32) wasmtest.Module {
	m := writer(fd)
	i32 := byte(wasmtest.I32)
	m.Types = append(m.Types, wasmtest.FuncType{Params: []byte{i32, i32}, Results: []byte{i32}})
	m.Imports = append(m.Imports, wasmtest.Import{Module: "wasmtool_v1", Name: "error_write", Type: 3})
	m.Exports[0].Index = 3
	m.Funcs[0].Body = wasmtest.Code(m.Funcs[0].Body, wasmtest.Const(-1), wasmtest.Const(9), wasmtest.CallFunc(2), []byte{wasmtest.Drop})
	return m
}

// A full output explains itself, so the error does not repeat it.
func TestFullOutputIsNotRepeated(t *testing.T) {
	hello := writer(1)
	hello.Funcs[0].Body = forever(hello.Funcs[0].Body)
	e := newExecutor(t, runtime.Options{}, files.Options{}, hello, "limits.output = \"1KiB\"\n")
	_, err := e.Execute(context.Background(), tool.Invocation{Arguments: []byte("{}"), Text: func(string) (string, bool) { return "", false }})
	if got, ok := err.(*tool.Error); !ok || got.Details.Stderr != "" || !strings.Contains(got.Message, "limits.output") {
		t.Errorf("got %v", err)
	}
}

// What a guest wrote before it ran out of memory is kept, without the lines that Go adds.
func TestOutOfMemoryIsShort(t *testing.T) {
	out := runtime.Output{Stderr: []byte("reading big.json\nruntime: out of memory: cannot allocate 1 byte\n\ngoroutine 1 [running]:\nmain.main()\n")}
	full := &runtime.Error{Reason: runtime.ResourceExhausted, Limit: runtime.LimitMemory, Message: "full"}
	if got := failure(out, full).Details.Stderr; got != "reading big.json" {
		t.Errorf("got %q", got)
	}
}
