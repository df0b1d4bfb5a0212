package rewrite

import (
	"bytes"
	"context"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// heavyCalls is how often heavy code calls a function that does nothing.
const heavyCalls = 20

// detours are pieces of code with two paths. One goes through heavy code and is taken when local 0
// has the value 1. The other avoids the heavy code.
func detours() map[string][]byte {
	heavy := bytes.Repeat(wasmtest.CallFunc(2), heavyCalls)
	get := []byte{wasmtest.LocalGet, 0}
	open := []byte{block, wasmtest.Empty}
	end := []byte{wasmtest.End}
	leave := []byte{returnOp}
	return map[string][]byte{
		"straight on":      heavy,
		"then":             wasmtest.Code(get, []byte{ifOp, wasmtest.Empty}, heavy, end),
		"else":             wasmtest.Code(get, []byte{i32Eqz, ifOp, wasmtest.Empty, elseOp}, heavy, end),
		"no else":          wasmtest.Code(get, []byte{i32Eqz, ifOp, wasmtest.Empty}, leave, end, heavy),
		"after then":       wasmtest.Code(get, []byte{ifOp, wasmtest.Empty, elseOp}, leave, end, heavy),
		"br":               wasmtest.Code(open, []byte{wasmtest.Br, 0}, end, heavy),
		"br_if":            wasmtest.Code(open, get, []byte{wasmtest.BrIf, 0}, leave, end, heavy),
		"br_if outwards":   wasmtest.Code(open, open, get, []byte{wasmtest.BrIf, 1}, leave, end, leave, end, heavy),
		"not br_if":        wasmtest.Code(open, get, []byte{i32Eqz, wasmtest.BrIf, 0}, heavy, end),
		"br_table":         wasmtest.Code(open, open, get, []byte{0x0e, 2, 1, 0, 1}, end, heavy, end),
		"br_table default": wasmtest.Code(open, open, get, []byte{0x0e, 1, 1, 0}, end, heavy, end),
		"in a block":       wasmtest.Code(open, heavy, end),
		"before leaving":   wasmtest.Code(get, []byte{ifOp, wasmtest.Empty}, heavy, []byte{wasmtest.Br, 0}, end),
	}
}

// detourModule calls a detour in a loop, with the argument 1. If inline, the detour is part of the
// loop; otherwise it is a function.
func detourModule(detour []byte, inline bool) wasmtest.Module {
	body := wasmtest.Code([]byte{wasmtest.I32Const, 1}, wasmtest.CallFunc(1))
	if inline {
		body = wasmtest.Code([]byte{wasmtest.I32Const, 1, localSet, 0}, detour)
	}
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{{Params: []byte{wasmtest.I32}}, {}},
		Funcs: []wasmtest.Func{
			{Locals: []byte{wasmtest.I32}, Body: wasmtest.Code(
				[]byte{wasmtest.LocalGet, 0, localSet, 1, wasmtest.Loop, wasmtest.Empty},
				body,
				[]byte{wasmtest.LocalGet, 1, wasmtest.I32Const, 1, i32Sub, localTee, 1, wasmtest.BrIf, 0, wasmtest.End},
			)},
			{Body: detour},
			{Type: 1, Body: []byte{wasmtest.Nop}},
		},
		Exports: []wasmtest.Export{{Name: "run"}},
	}
	if inline {
		m.Funcs[1].Body = []byte{wasmtest.Nop}
	}
	return m
}

func TestEveryPathIsCharged(t *testing.T) {
	const rounds = 50
	for name, detour := range detours() {
		for _, inline := range []bool{true, false} {
			m := runMetered(t, detourModule(detour, inline).Bytes(), &refiller{slice: 1000, budget: 1 << 60})
			used, err := m.run(rounds)
			if err != nil {
				t.Errorf("%s (inline %v): %v", name, inline, err)
				continue
			}
			least := int64(rounds * heavyCalls * costCall)
			if upper := 2 * (least + rounds*costLeave); used < least || used > upper {
				t.Errorf("%s (inline %v): %d units, want %d to %d", name, inline, used, least, upper)
			}
		}
	}
}

// TestLongCodeIsChecked counts the calls between two checks, in a long function without a loop and
// in a loop with one iteration.
func TestLongCodeIsChecked(t *testing.T) {
	calls := bytes.Repeat(wasmtest.CallFunc(1), 1000)
	for name, m := range map[string]wasmtest.Module{
		"function": function(calls),
		"loop":     function([]byte{wasmtest.Loop, wasmtest.Empty}, calls, []byte{wasmtest.End}),
	} {
		m.Types = append(m.Types, wasmtest.FuncType{})
		m.Funcs = append(m.Funcs, wasmtest.Func{Type: 1, Body: []byte{wasmtest.Nop}})
		f := &refiller{budget: 1 << 60}
		since, longest := 0, 0
		f.onRefill = func() error { since = 0; return nil }
		ctx := experimental.WithFunctionListenerFactory(context.Background(), watcher(func(api.Module) {
			since++
			longest = max(longest, since)
		}))
		if _, err := runMeteredWith(t, ctx, wazero.NewRuntimeConfigInterpreter(), m.Bytes(), f).run(0); err != nil {
			t.Fatal(err)
		}
		if limit := (maxPath + costSlack + maxUnchecked) / costCall; longest < 10 || longest > limit {
			t.Errorf("%s: %d calls between two checks, want at most %d", name, longest, limit)
		}
	}
}
