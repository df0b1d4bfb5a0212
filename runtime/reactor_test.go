package runtime

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
)

// The imports from wasmtool_v1 are frozen: functions may be added, but none may change or
// disappear.
func TestABIIsFrozen(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "testdata", "abi", "v1.json"))
	if err != nil {
		t.Fatal(err)
	}
	var frozen map[string]string
	if err := json.Unmarshal(data, &frozen); err != nil {
		t.Fatal(err)
	}
	known, err := abi.HostFunctions()
	if err != nil {
		t.Fatal(err)
	}
	ours := make(map[string]string)
	for name, signature := range known {
		if strings.HasPrefix(name, reactorModule+".") {
			ours[name] = signature
		}
	}
	if !reflect.DeepEqual(ours, frozen) {
		t.Errorf("the functions are %v, frozen are %v", ours, frozen)
	}
}

// The imports of a test reactor, by index.
const (
	inputLen = iota
	inputRead
	outputWrite
	errorWrite
)

// reactor returns a module that exports a function named "call". body is the code of the function,
// which leaves an i32. The memory of the module is one page with text at address 0.
func reactor(text string, body ...[]byte) wasmtest.Module {
	i32, none := []byte{wasmtest.I32}, []byte(nil)
	two := []byte{wasmtest.I32, wasmtest.I32}
	imp := func(name string, typ uint32) wasmtest.Import {
		return wasmtest.Import{Module: reactorModule, Name: name, Type: typ}
	}
	return wasmtest.Module{
		Types:   []wasmtest.FuncType{{Params: none, Results: i32}, {Params: two, Results: i32}, {}},
		Imports: []wasmtest.Import{imp("input_len", 0), imp("input_read", 1), imp("output_write", 1), imp("error_write", 1)},
		Funcs:   []wasmtest.Func{{Type: 0, Body: wasmtest.Code(body...)}},
		Memory:  []uint32{1},
		Exports: []wasmtest.Export{{Name: "call", Index: 4}, {Name: "memory", Kind: 2}},
		Data:    []wasmtest.Data{{Bytes: []byte(text)}},
	}
}

// with returns code that calls an imported function with a pointer and a length, and drops the
// result.
func with(function uint32, ptr, size int32) []byte {
	return wasmtest.Code(wasmtest.Const(ptr), wasmtest.Const(size), wasmtest.CallFunc(function), []byte{wasmtest.Drop})
}

func TestReactorResults(t *testing.T) {
	const echoAt = 1000
	// Reads the input into memory at echoAt, then writes the bytes it read.
	echo := wasmtest.Code(
		wasmtest.Const(echoAt),
		wasmtest.Const(echoAt), wasmtest.CallFunc(inputLen), wasmtest.CallFunc(inputRead),
		wasmtest.CallFunc(outputWrite),
	)
	// initialized returns what _initialize stored.
	initialized := reactor("", wasmtest.Const(0), []byte{wasmtest.I32Load, 2, 0})
	initialized.Funcs = append(initialized.Funcs, wasmtest.Func{Type: 2, Body: wasmtest.Code(wasmtest.Const(0), wasmtest.Const(7), []byte{wasmtest.I32Store, 2, 0})})
	initialized.Exports = append(initialized.Exports, wasmtest.Export{Name: "_initialize", Index: 5})
	looping := reactor("", wasmtest.Const(0))
	looping.Funcs = append(looping.Funcs, wasmtest.Func{Type: 2, Body: forever()})
	looping.Exports = append(looping.Exports, wasmtest.Export{Name: "_initialize", Index: 5})

	tests := []struct {
		name    string
		module  wasmtest.Module
		input   string
		want    Reason
		output  string
		failure string
		code    uint32
	}{
		{"echo", reactor("", echo), `{"a":1}`, "", `{"a":1}`, "", 0},
		{"no input", reactor("", echo), "", "", "", "", 0},
		{"reading in pieces, beyond the end", reactor("", with(inputRead, 10, 2), with(inputRead, 12, 50), with(inputRead, 70, 9), with(outputWrite, 10, 5), wasmtest.Const(0)), "hello", "", "hello", "", 0},
		{"output in pieces", reactor("hello", with(outputWrite, 0, 2), with(outputWrite, 2, 3), wasmtest.Const(0)), "", "", "hello", "", 0},
		{"nothing at the very end of memory", reactor("", with(outputWrite, 1<<16, 0), wasmtest.Const(0)), "", "", "", "", 0},
		{"a failure by number", reactor("hello", with(outputWrite, 0, 5), wasmtest.Const(3)), "", Failed, "", "", 3},
		{"a failure with a message", reactor("no luck", with(errorWrite, 0, 7), wasmtest.Const(1)), "", Failed, "", "no luck", 1},
		{"an error wins over the number", reactor("no luck", with(errorWrite, 0, 7), wasmtest.Const(0)), "", Failed, "", "no luck", 0},
		{"an error wins over a result after it", reactor("no luck", with(errorWrite, 0, 7), with(outputWrite, 0, 2), wasmtest.Const(0)), "", Failed, "", "no luck", 0},
		{"a result, then a trap", reactor("hello", with(outputWrite, 0, 5), []byte{wasmtest.Unreachable}), "", Trap, "", "", 0},
		{"output from beyond memory", reactor("", with(outputWrite, 1<<16-2, 3), wasmtest.Const(0)), "", BadGuest, "", "", 0},
		{"a length of 4 GiB", reactor("", with(outputWrite, 1, -1), wasmtest.Const(0)), "", BadGuest, "", "", 0},
		{"a pointer at 4 GiB", reactor("", with(errorWrite, -1, 0), wasmtest.Const(0)), "", BadGuest, "", "", 0},
		{"input to beyond memory", reactor("", with(inputRead, 1<<16-2, 3), wasmtest.Const(0)), "hello", BadGuest, "", "", 0},
		{"too much output", reactor("", forever(with(outputWrite, 0, 1<<16-1)), wasmtest.Const(0)), "", ResourceExhausted, "", "", 0},
		{"_initialize runs first", initialized, "", Failed, "", "", 7},
		{"_initialize under the deadline", looping, "", Timeout, "", "", 0},
		{"call under the deadline", reactor("", forever(), wasmtest.Const(0)), "", Timeout, "", "", 0},
	}
	r := newRuntime(t, Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := load(t, r, tt.module.Bytes())
			entry, err := m.Entry("", "")
			if err != nil || entry.ABI != Reactor {
				t.Fatalf("%+v, %v", entry, err)
			}
			deadline := time.Minute
			if tt.want == Timeout {
				deadline = 100 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(context.Background(), deadline)
			defer cancel()
			for range 2 { // equal calls give equal results
				out, err := m.Call(ctx, Call{Entry: entry, Input: []byte(tt.input), Bindings: bind(t, capability.Grant{})})
				if got := reasonOf(t, err); got != tt.want {
					t.Fatalf("got %q (%v), want %q", got, err, tt.want)
				}
				if string(out.Output) != tt.output || string(out.Failure) != tt.failure {
					t.Errorf("output %q and failure %q, want %q and %q", out.Output, out.Failure, tt.output, tt.failure)
				}
				if e, ok := err.(*Error); ok && e.ExitCode != tt.code {
					t.Errorf("returned %d, want %d", e.ExitCode, tt.code)
				}
			}
		})
	}
}

// An error message is kept up to its limit, and the guest continues.
func TestErrorMessageIsLimited(t *testing.T) {
	body := wasmtest.Code(with(errorWrite, 0, maxErrorText), with(errorWrite, 0, 1000), with(errorWrite, 0, 1), wasmtest.Const(1))
	m := load(t, newRuntime(t, Options{}), reactor(strings.Repeat("x", 10), body).Bytes())
	out, err := m.Call(context.Background(), Call{Entry: Entry{ABI: Reactor}, Bindings: bind(t, capability.Grant{})})
	if reasonOf(t, err) != Failed || len(out.Failure) != maxErrorText || out.FailureDropped != 1001 {
		t.Errorf("kept %d bytes, %v", len(out.Failure), err)
	}
}

func TestInvalidReactorsAreRefused(t *testing.T) {
	r := newRuntime(t, Options{})
	change := func(f func(m *wasmtest.Module)) *Module {
		m := reactor("", wasmtest.Const(0))
		f(&m)
		return load(t, r, m.Bytes())
	}
	for name, tt := range map[string]struct {
		module *Module
		export string
		want   string
	}{
		"an export that does not exist": {change(func(*wasmtest.Module) {}), "run", "exports no run"},
		"no result":                     {change(func(m *wasmtest.Module) { m.Funcs[0] = wasmtest.Func{Type: 2} }), "", "() -> (), not () -> i32"},
		"_initialize with a result": {change(func(m *wasmtest.Module) {
			m.Exports = append(m.Exports, wasmtest.Export{Name: "_initialize", Index: 4})
		}), "", "_initialize has the type () -> i32"},
	} {
		_, err := tt.module.Entry(Reactor, tt.export)
		if reasonOf(t, err) != InvalidModule || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
		if _, err := tt.module.Call(context.Background(), Call{Entry: Entry{ABI: Reactor, Export: tt.export}, Bindings: bind(t, capability.Grant{})}); reasonOf(t, err) != InvalidModule {
			t.Errorf("%s: calling it gave %v", name, err)
		}
	}
}
