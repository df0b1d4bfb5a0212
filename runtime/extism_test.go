package runtime

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// The imports of a test plug-in, by index.
const (
	xAlloc = iota
	xFree
	xLength
	xStore8
	xInputOffset
	xInputLength
	xOutputSet
	xErrorSet
	xLoad64
	xVarSet
	xVarGet
	xHTTP
	xInput8
)

// plugin is an Extism plug-in whose function call has the given body, which leaves an i32.
func plugin(body ...[]byte) wasmtest.Module {
	l, i := byte(wasmtest.I64), byte(wasmtest.I32)
	imp := func(name string, typ uint32) wasmtest.Import {
		return wasmtest.Import{Module: extismModule, Name: name, Type: typ}
	}
	return wasmtest.Module{
		Types: []wasmtest.FuncType{
			{Results: []byte{i}},
			{Params: []byte{l}, Results: []byte{l}},
			{Params: []byte{l}},
			{Params: []byte{l, i}},
			{Results: []byte{l}},
			{Params: []byte{l, l}},
			{Params: []byte{l, l}, Results: []byte{l}},
			{Params: []byte{l}, Results: []byte{i}},
		},
		Imports: []wasmtest.Import{
			imp("alloc", 1), imp("free", 2), imp("length", 1), imp("store_u8", 3), imp("input_offset", 4), imp("input_length", 4),
			imp("output_set", 5), imp("error_set", 2), imp("load_u64", 1), imp("var_set", 5), imp("var_get", 1), imp("http_request", 6), imp("input_load_u8", 7),
		},
		Funcs:   []wasmtest.Func{{Type: 0, Body: wasmtest.Code(body...)}},
		Memory:  []uint32{1},
		Exports: []wasmtest.Export{{Name: "call", Index: 13}, {Name: "memory", Kind: 2}},
	}
}

func long(v int64) []byte { return wasmtest.S64([]byte{wasmtest.I64Const}, v) }

func TestExtism(t *testing.T) {
	call, zero := wasmtest.CallFunc, wasmtest.Const(0)
	drop := []byte{wasmtest.Drop}
	setOutput := wasmtest.Code(call(xInputOffset), call(xInputLength), call(xOutputSet))
	for name, tt := range map[string]struct {
		body    []byte
		want    Reason
		limit   Limit
		output  string
		failure string
	}{
		"echo":                    {wasmtest.Code(setOutput, zero), "", "", "hello", ""},
		"a failure by number":     {wasmtest.Code(setOutput, wasmtest.Const(3)), Failed, "", "", ""},
		"a failure with a text":   {wasmtest.Code(call(xInputOffset), call(xErrorSet), zero), Failed, "", "", "hello"},
		"a text that is cleared":  {wasmtest.Code(call(xInputOffset), call(xErrorSet), long(0), call(xErrorSet), setOutput, zero), "", "", "hello", ""},
		"a variable":              {wasmtest.Code(call(xInputOffset), call(xInputOffset), call(xVarSet), call(xInputOffset), call(xVarGet), long(5), call(xOutputSet), zero), "", "", "hello", ""},
		"a double free":           {wasmtest.Code(call(xInputOffset), call(xFree), call(xInputOffset), call(xFree), long(5), call(xAlloc), long(5), call(xAlloc), []byte{0x51, 0x04, 0x40, wasmtest.Unreachable, wasmtest.End}, zero), "", "", "", ""},
		"no such block":           {wasmtest.Code(long(-1), call(xFree), long(1<<40), call(xLength), drop, zero), "", "", "", ""},
		"a load out of range":     {wasmtest.Code(long(1<<16-7), call(xLoad64), drop, zero), BadGuest, "", "", ""},
		"a load that wraps":       {wasmtest.Code(long(-4), call(xLoad64), drop, zero), BadGuest, "", "", ""},
		"a store out of range":    {wasmtest.Code(long(1<<33), wasmtest.Const(1), call(xStore8), zero), BadGuest, "", "", ""},
		"input beyond its end":    {wasmtest.Code(long(5), call(xInput8), drop, zero), BadGuest, "", "", ""},
		"output out of range":     {wasmtest.Code(long(1<<16-1), long(2), call(xOutputSet), zero), BadGuest, "", "", ""},
		"output beyond its limit": {wasmtest.Code(long(0), long(DefaultOutput+1), call(xOutputSet), zero), ResourceExhausted, LimitOutput, "", ""},
		"a huge block":            {wasmtest.Code(long(-1), call(xAlloc), drop, zero), ResourceExhausted, LimitMemory, "", ""},
		"blocks without end":      {forever(long(1<<16), call(xAlloc), drop), ResourceExhausted, LimitMemory, "", ""},
		"small blocks, no end":    {forever(long(1), call(xAlloc), drop), ResourceExhausted, LimitMemory, "", ""},
		"HTTP without a grant":    {wasmtest.Code(call(xInputOffset), long(0), call(xHTTP), drop, zero), Failed, "", "", ""},
		"a trap after the output": {wasmtest.Code(setOutput, []byte{wasmtest.Unreachable}), Trap, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRuntime(t, Options{})
			body := tt.body
			if strings.Contains(name, "end") && tt.limit == LimitMemory {
				body = wasmtest.Code(body, zero)
			}
			m := load(t, r, plugin(body).Bytes())
			entry, err := m.Entry("", "")
			if err != nil || entry != (Entry{ABI: Extism, Export: "call"}) {
				t.Fatalf("%+v, %v", entry, err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			for range 2 {
				out, err := m.Call(ctx, Call{Entry: entry, Input: []byte("hello"), Bindings: bind(t, capability.Grant{})})
				if got := reasonOf(t, err); got != tt.want {
					t.Fatalf("got %q (%v), want %q", got, err, tt.want)
				}
				if e, ok := err.(*Error); ok && e.Limit != tt.limit {
					t.Errorf("met %q, want %q", e.Limit, tt.limit)
				}
				if string(out.Output) != tt.output || string(out.Failure) != tt.failure {
					t.Errorf("output %q and failure %q, want %q and %q", out.Output, out.Failure, tt.output, tt.failure)
				}
			}
			if in := r.memoryInUse.Load(); in != 0 {
				t.Errorf("%d bytes are still counted", in)
			}
		})
	}
}

func TestExtismPluginsThatDoNotFit(t *testing.T) {
	m := load(t, newRuntime(t, Options{}), plugin(wasmtest.Const(0)).Bytes())
	if _, err := m.Entry(Reactor, ""); reasonOf(t, err) != InvalidModule || !strings.Contains(err.Error(), "Extism plug-in") {
		t.Errorf("as a reactor: %v", err)
	}
	user := plugin(wasmtest.Const(0))
	user.Imports[0].Module = extismUserModule
	_, err := newRuntime(t, Options{}).Load(context.Background(), user.Bytes())
	if reasonOf(t, err) != InvalidModule || !strings.Contains(err.Error(), "host that the plug-in was written for") {
		t.Errorf("functions of another host: %v", err)
	}
}
