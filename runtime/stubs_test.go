package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// stubbed returns a command that imports functions of one type, () -> () by default, and runs body.
// The functions 0, 1, ... are the imports.
func stubbed(imports []string, body []byte, change ...func(*wasmtest.Module)) []byte {
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Memory: []uint32{1}, Tables: [][]uint32{{1}},
		Funcs:   []wasmtest.Func{{Body: body}},
		Exports: []wasmtest.Export{{Name: "_start", Index: uint32(len(imports))}, {Name: "memory", Kind: 2}},
	}
	for _, name := range imports {
		at := strings.LastIndex(name, "/")
		m.Imports = append(m.Imports, wasmtest.Import{Module: name[:at], Name: name[at+1:]})
	}
	for _, f := range change {
		f(&m)
	}
	return m.Bytes()
}

func TestStubTrapsOnlyWhenItIsCalled(t *testing.T) {
	const indirect = 0x11
	const message = "the guest called the import env.abort, a stub for a function that this runtime does not provide"
	const exit = "wasi_snapshot_preview1/proc_exit" // its type has a parameter
	two := []string{"other/never", "env/abort"}
	inTable := func(m *wasmtest.Module) { m.Elements = []wasmtest.Element{{Funcs: []uint32{1}}} }
	start := func(m *wasmtest.Module) {
		m.Funcs = append(m.Funcs, wasmtest.Func{Body: wasmtest.CallFunc(1)})
		m.Start = new(uint32(3))
	}
	tests := []struct {
		name   string
		module []byte
		stubs  []string
		want   string
	}{
		{"never called", stubbed(two, nil), []string{AllStubs}, ""},
		{"named", stubbed(two, nil), []string{"env.abort", "other.never"}, ""},
		{"called", stubbed(two, wasmtest.CallFunc(1)), []string{AllStubs}, message},
		{"WASI of another type, never called", stubbed([]string{exit}, nil), []string{"wasi_snapshot_preview1.proc_exit"}, ""},
		{"WASI of another type, called", stubbed([]string{exit}, wasmtest.CallFunc(0)), []string{"wasi_snapshot_preview1.proc_exit"}, strings.Replace(message, "env.abort", "wasi_snapshot_preview1.proc_exit", 1)},
		{"called in a loop", stubbed(two, forever(wasmtest.CallFunc(1))), []string{AllStubs}, message},
		{"called indirectly", stubbed(two, wasmtest.Code(wasmtest.Const(0), []byte{indirect, 0, 0}), inTable), []string{AllStubs}, message},
		{"called at the start", stubbed(two, nil, start), []string{AllStubs}, message},
	}
	r := newRuntime(t, Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := r.Load(context.Background(), tt.module, tt.stubs...)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			for range 3 { // a reset instance would behave in another way
				_, err := m.Call(t.Context(), Call{Bindings: bind(t, capability.Grant{})})
				var e *Error
				switch {
				case tt.want == "" && err != nil:
					t.Fatal(err)
				case tt.want != "" && (!errors.As(err, &e) || e.Reason != Trap || e.Message != tt.want):
					t.Fatalf("got %v", err)
				}
			}
		})
	}
}

// A stub has exactly the type that the module declares.
func TestStubHasTheTypeOfTheImport(t *testing.T) {
	numbers := []byte{wasmtest.I32, wasmtest.I64, wasmtest.F32, wasmtest.F64}
	module := stubbed([]string{"env/many"}, nil, func(m *wasmtest.Module) {
		m.Types = append(m.Types, wasmtest.FuncType{Params: numbers, Results: numbers})
		m.Imports[0].Type = 1
	})
	r := newRuntime(t, Options{})
	m, err := r.Load(context.Background(), module, AllStubs)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Call(t.Context(), Call{Bindings: bind(t, capability.Grant{})}); err != nil {
		t.Error(err)
	}
}

func TestStubsAreRefused(t *testing.T) {
	typed := func(params ...byte) func(*wasmtest.Module) {
		return func(m *wasmtest.Module) {
			m.Types = append(m.Types, wasmtest.FuncType{Params: params})
			m.Imports[0].Type = 1
		}
	}
	many := make([]string, 501)
	for i := range many {
		many[i] = fmt.Sprint("env/f", i)
	}
	tests := []struct {
		name   string
		module []byte
		stubs  []string
		want   string
	}{
		{"without the permission", stubbed([]string{"env/a"}, nil), nil, "function env.a; if the tool runs without them, list them in module.stub_imports"},
		{"another import", stubbed([]string{"env/a", "env/b"}, nil), []string{"env.a"}, "provide: function env.b; if"},
		{"a host function", stubbed([]string{"wasi_snapshot_preview1/proc_exit"}, nil, typed(wasmtest.I32)), []string{"wasi_snapshot_preview1.proc_exit"}, "wasi_snapshot_preview1.proc_exit, which this runtime provides; remove it"},
		{"a host function that is not imported", stubbed(nil, nil), []string{"wasi_snapshot_preview1.proc_exit"}, "which this runtime provides; remove it"},
		{"a host function, and another type", stubbed([]string{"wasi_snapshot_preview1/proc_exit", "wasi_snapshot_preview1/proc_exit"}, nil, typed(wasmtest.I32)), []string{AllStubs}, "imported with two types"},
		{"another type without the permission", stubbed([]string{"wasi_snapshot_preview1/proc_exit"}, nil), nil, "has the type (i32) -> (), not () -> (); if the tool runs without them"},
		{"a host function of another type", stubbed([]string{"wasmtool_v1/log"}, nil), []string{AllStubs}, "wasmtool_v1.log has the type"},
		{"a name of wasmtool", stubbed([]string{"wasmtool_v1/later"}, nil), []string{AllStubs}, "always wasmtool's own"},
		{"a name of Extism", stubbed([]string{"extism:host/env/load_u16"}, nil), []string{AllStubs}, "function"},
		{"the meter", stubbed([]string{"wasmtool:meter/refill"}, nil), []string{AllStubs}, "reserved"},
		{"a name that is not imported", stubbed(nil, nil), []string{"env.a"}, "env.a, which the module does not import; remove it"},
		{"an empty module name", stubbed([]string{"/a"}, nil), []string{AllStubs}, "the name of its module is empty"},
		{"two types", stubbed([]string{"env/a", "env/a"}, nil, typed(wasmtest.I32)), []string{AllStubs}, "imported with two types"},
		{"a reference", stubbed([]string{"env/a"}, nil, typed(wasmtest.FuncRef)), []string{AllStubs}, "more than numbers"},
		{"too many", stubbed(many, nil), []string{AllStubs}, "more than 500"},
	}
	r := newRuntime(t, Options{})
	for _, tt := range tests {
		_, err := r.Load(context.Background(), tt.module, tt.stubs...)
		var e *Error
		if !errors.As(err, &e) || e.Reason != InvalidModule || !strings.Contains(e.Message, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// Memories, tables and globals have no stubs.
func TestOnlyFunctionsHaveStubs(t *testing.T) {
	// (import "env" "m" (memory 1))
	module := []byte("\x00asm\x01\x00\x00\x00\x02\x0a\x01\x03env\x01m\x02\x00\x01")
	_, err := newRuntime(t, Options{}).Load(context.Background(), module, AllStubs)
	if err == nil || !strings.Contains(err.Error(), "env.m is an imported memory; only functions can be imported") || strings.Contains(err.Error(), "stub_imports") {
		t.Errorf("got %v", err)
	}
}

// Stubs of one tool do not let another tool run the same module, whether it is loaded or cached.
func TestStubsAreSeparateForEachLoad(t *testing.T) {
	dir := t.TempDir()
	module := stubbed([]string{"env/a"}, nil)
	for range 2 { // the second Runtime finds the module in the cache
		r := newRuntime(t, Options{CacheDir: dir})
		m, err := r.Load(context.Background(), module, AllStubs)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Load(context.Background(), module); err == nil {
			t.Error("the module loads without stubs")
		}
		m.Close()
	}
}

// A stub checks the fuel and the deadline before anything else.
func TestStubsAreMetered(t *testing.T) {
	r := newRuntime(t, Options{})
	m, err := r.Load(context.Background(), stubbed([]string{"env/a"}, wasmtest.CallFunc(0)), AllStubs)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	call := Call{Bindings: bind(t, capability.Grant{}), Limits: Limits{Fuel: 1}}
	if _, err := m.Call(t.Context(), call); err == nil || err.(*Error).Limit != LimitFuel {
		t.Errorf("without fuel: %v", err)
	}
	loop, err := r.Load(context.Background(), stubbed([]string{"env/a"}, forever()), AllStubs)
	if err != nil {
		t.Fatal(err)
	}
	defer loop.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := loop.Call(ctx, Call{Bindings: bind(t, capability.Grant{})}); err == nil || err.(*Error).Reason != Timeout {
		t.Errorf("after the deadline: %v", err)
	}
}
