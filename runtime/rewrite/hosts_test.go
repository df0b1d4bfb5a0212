package rewrite

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// hostCalls is the minimum number of host calls that each module of hostCallers makes.
const hostCalls = 300

// hostCallers are modules with an export named "run". The export calls function 0, an import of
// type 0, many times in a row.
func hostCallers() map[string]wasmtest.Module {
	caller := func(body []byte, helpers ...[]byte) wasmtest.Module {
		m := wasmtest.Module{
			Types:    []wasmtest.FuncType{{}},
			Imports:  []wasmtest.Import{{Module: "env", Name: "host"}},
			Funcs:    []wasmtest.Func{{Body: bytes.Repeat(body, hostCalls)}},
			Tables:   [][]uint32{{1}},
			Elements: []wasmtest.Element{{Funcs: []uint32{0}}},
			Exports:  []wasmtest.Export{{Name: "run", Index: 1}, {Name: "again", Index: 0}},
		}
		for _, h := range helpers {
			m.Funcs = append(m.Funcs, wasmtest.Func{Body: h})
		}
		return m
	}
	once := []byte{wasmtest.Call, 0}
	indirect := []byte{wasmtest.I32Const, 0, callIndirect, 0, 0}
	return map[string]wasmtest.Module{
		"call":                 caller(once),
		"call_indirect":        caller(indirect),
		"call_ref":             caller([]byte{0xd2, 0, 0x14, 0}),
		"return_call":          caller(wasmtest.CallFunc(2), []byte{returnCall, 0}),
		"return_call_indirect": caller(wasmtest.CallFunc(2), []byte{wasmtest.I32Const, 0, 0x13, 0, 0}),
		"small function":       caller(wasmtest.CallFunc(2), once),
		"two in a function":    caller(wasmtest.CallFunc(2), wasmtest.Code(once, indirect)),
		"both branches":        caller([]byte{wasmtest.I32Const, 1, ifOp, wasmtest.Empty, wasmtest.Call, 0, elseOp, wasmtest.Call, 0, wasmtest.End}),
	}
}

// runHostCaller rewrites a module and calls its export "run". f is the host's side of metering.
// onCall is called for every call of the host.
func runHostCaller(t *testing.T, name string, m wasmtest.Module, o Options, f *refiller, onCall func()) *Report {
	t.Helper()
	ctx := context.Background()
	out, rep, err := Rewrite(m.Bytes(), o)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(allFeatures))
	defer func() { _ = r.Close(ctx) }()
	f.install(t, r)
	host := api.GoModuleFunc(func(context.Context, api.Module, []uint64) { onCall() })
	if _, err := r.NewHostModuleBuilder("env").NewFunctionBuilder().WithGoModuleFunction(host, nil, nil).Export("host").Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	mod, err := r.Instantiate(ctx, out)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if _, err := mod.ExportedFunction("run").Call(ctx); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return rep
}

func TestEveryHostCallIsPrecededByCheck(t *testing.T) {
	for name, m := range hostCallers() {
		calls, since, longest := 0, 0, 0
		// Fuel never runs out.
		f := &refiller{slice: 1 << 40, budget: 1 << 60, onRefill: func() error { since = 0; return nil }}
		rep := runHostCaller(t, name, m, Options{Meter: true}, f, func() {
			calls++
			since++
			longest = max(longest, since)
		})
		if calls < hostCalls || longest != 1 || rep.Meter.Hosts == 0 {
			t.Errorf("%s: %d calls, up to %d between two checks, %+v", name, calls, longest, *rep.Meter)
		}
	}
}

// A call of a quick import is charged, but causes only as many checks as any other instruction.
// Where the module calls quick imports by type, they are treated as other imports.
func TestQuickImportsAreNotChecked(t *testing.T) {
	const slice = 1000
	options := Options{Meter: true, Quick: []ImportName{{"env", "other"}, {"env", "host"}}}
	for name, m := range hostCallers() {
		since, longest := 0, 0
		f := &refiller{slice: slice, budget: 1 << 60, onRefill: func() error { since = 0; return nil }}
		rep := runHostCaller(t, name, m, options, f, func() {
			since++
			longest = max(longest, since)
		})
		byType := slices.Contains([]string{"call_indirect", "call_ref", "return_call_indirect", "two in a function"}, name)
		if (rep.Meter.Hosts > 0) != byType {
			t.Errorf("%s: %d checks of calls", name, rep.Meter.Hosts)
		}
		if f.used < (hostCalls-slice/costQuick)*costQuick || longest > (slice+maxPath+costSlack)/costQuick {
			t.Errorf("%s: %d units of fuel, up to %d calls between two checks", name, f.used, longest)
		}
	}
	m := hostCallers()["call"]
	m.Imports[0].Name = "slow"
	if _, rep, err := Rewrite(m.Bytes(), options); err != nil || rep.Meter.Hosts != hostCalls {
		t.Errorf("an import of another name: %+v, %v", rep.Meter, err)
	}
}

func TestIndirectCallsThatCannotLeaveNeedNoCheck(t *testing.T) {
	m := wasmtest.Module{
		Types:    []wasmtest.FuncType{{}, {Params: []byte{wasmtest.I32}}},
		Imports:  []wasmtest.Import{{Module: "env", Name: "host", Type: 1}},
		Funcs:    []wasmtest.Func{{Body: []byte{wasmtest.I32Const, 0, callIndirect, 0, 0}}, {Body: []byte{wasmtest.Nop}}},
		Tables:   [][]uint32{{2}},
		Elements: []wasmtest.Element{{Funcs: []uint32{0, 2}}},
	}
	for taken, want := range map[uint32]int{1: 0, 0: 1} {
		m.Imports[0].Type = taken
		_, rep, err := Rewrite(m.Bytes(), Options{Meter: true})
		if err != nil || rep.Meter.Hosts != want {
			t.Errorf("an import of type %d in the table: %+v, %v; want %d", taken, rep.Meter, err, want)
		}
	}
}

func TestIndirectCallsThroughForeignTablesAreChecked(t *testing.T) {
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{{}},
		Funcs: []wasmtest.Func{{Body: []byte{wasmtest.I32Const, 0, callIndirect, 0, 0}}},
	}
	importTable := "\x02\x09\x01\x01e\x01t\x01\x70\x00\x05"
	types, rest, _ := bytes.Cut(m.Bytes(), []byte{3, 2, 1, 0})
	wasm := wasmtest.Code(types, []byte(importTable), []byte{3, 2, 1, 0}, rest)
	_, rep, err := Rewrite(wasm, Options{Meter: true})
	if err != nil || rep.Meter.Hosts != 1 {
		t.Errorf("%+v, %v; want a check", rep.Meter, err)
	}
}
