package rewrite

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// counting is a module with hidden state: a global that its start function sets to 5 and that its
// exported function "next" increases.
func counting() []byte {
	start := uint32(0)
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{{}, {Results: []byte{wasmtest.I32}}},
		Funcs: []wasmtest.Func{
			{Body: []byte{wasmtest.I32Const, 5, 0x24, 1}},
			{Type: 1, Body: []byte{0x23, 1, wasmtest.I32Const, 1, wasmtest.I32Add, 0x24, 1, 0x23, 1}},
		},
		Globals: []wasmtest.Global{{Type: wasmtest.I32, Init: wasmtest.Const(9)}, {Type: wasmtest.I32, Mutable: true, Init: wasmtest.Const(0)}},
		Memory:  []uint32{1},
		Exports: []wasmtest.Export{{Name: "next", Index: 1}},
		Start:   &start,
	}
	return m.Bytes()
}

func TestStateIsExported(t *testing.T) {
	out, rep, err := Rewrite(counting(), Options{ExportState: true, ExportStart: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint32{1}; !slices.Equal(rep.MutableGlobals, want) || len(rep.SnapshotBlockers) != 0 {
		t.Errorf("mutable globals %v, want %v; blockers %v", rep.MutableGlobals, want, rep.SnapshotBlockers)
	}
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer func() { _ = r.Close(ctx) }()
	m, err := r.Instantiate(ctx, out)
	if err != nil {
		t.Fatal(err)
	}
	global := m.ExportedGlobal(GlobalExport(1)).(api.MutableGlobal)
	if got := global.Get(); got != 0 {
		t.Errorf("the start function ran on instantiation: the global is %d", got)
	}
	if _, err := m.ExportedFunction(ExportStart).Call(ctx); err != nil {
		t.Fatal(err)
	}
	next := func() uint64 {
		results, err := m.ExportedFunction("next").Call(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return results[0]
	}
	if got := next(); got != 6 {
		t.Errorf("next is %d after the start function, want 6", got)
	}
	global.Set(41)
	if got := next(); got != 42 {
		t.Errorf("next is %d after the global was set to 41, want 42", got)
	}
	if m.ExportedMemory(ExportMemory) == nil {
		t.Error("the memory is not exported")
	}
}

func TestReservedNamesAreRefused(t *testing.T) {
	type0 := []wasmtest.FuncType{{}}
	tests := map[string]struct {
		module wasmtest.Module
		text   string
	}{
		"export": {wasmtest.Module{Types: type0, Funcs: []wasmtest.Func{{}}, Exports: []wasmtest.Export{{Name: "wasmtool:anything"}}}, `"wasmtool:anything"`},
		"import": {wasmtest.Module{Types: type0, Imports: []wasmtest.Import{{Module: MeterModule, Name: "other"}}}, `"wasmtool:meter"`},
		"late":   {wasmtest.Module{Types: type0, Imports: []wasmtest.Import{{Module: EarlyModule, Name: "early:function:0"}}}, `"wasmtool:early"`},
		"load":   {wasmtest.Module{Types: type0, Imports: []wasmtest.Import{{Module: MeterModule, Name: LoadFunction}}}, `"wasmtool:meter"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, err := Rewrite(test.module.Bytes(), Options{})
			if err == nil || !strings.Contains(err.Error(), test.text) {
				t.Errorf("got %v, want an error about %s", err, test.text)
			}
		})
	}
	// Rewriting a rewritten module is an error.
	out, _, err := Rewrite(counting(), Options{Meter: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Rewrite(out, Options{}); err == nil {
		t.Error("the output was rewritten again")
	}
}

// TestAddedIndicesStayHidden rewrites modules with indices that metering adds: the global with the
// fuel, the imported function, and its type. Before rewriting, the indices do not exist.
func TestAddedIndicesStayHidden(t *testing.T) {
	body := func(code ...byte) wasmtest.Module {
		return wasmtest.Module{
			Types: []wasmtest.FuncType{{}}, Funcs: []wasmtest.Func{{Body: code}}, Tables: [][]uint32{{1}},
		}
	}
	export := body()
	export.Exports = []wasmtest.Export{{Name: "fuel", Kind: 3}}
	global := body()
	global.Globals = []wasmtest.Global{{Type: wasmtest.I64, Init: []byte{0x23, 1}}}
	start := body()
	one := uint32(1)
	start.Start = &one
	elements := body()
	elements.Elements = []wasmtest.Element{{Funcs: []uint32{1}}}
	for name, m := range map[string]wasmtest.Module{
		"global.get":         body(0x23, 0, wasmtest.Drop),
		"global.set":         body(wasmtest.I64Const, 0, 0x24, 0),
		"call":               body(wasmtest.Call, 1),
		"return_call":        body(returnCall, 1),
		"call_indirect type": body(wasmtest.I32Const, 0, callIndirect, 1, 0),
		"ref.func":           body(0xd2, 1, wasmtest.Drop),
		"block type":         body(block, 1, wasmtest.End),
		"local":              body(wasmtest.LocalGet, 0, wasmtest.Drop),
		"exported global":    export,
		"initial value":      global,
		"start function":     start,
		"element":            elements,
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Rewrite(m.Bytes(), everything)
			if err == nil || !strings.Contains(err.Error(), "there is no ") {
				t.Errorf("got %v, want an error", err)
			}
		})
	}
}

func TestFeaturesAndBlockersAreReported(t *testing.T) {
	code := func(code ...byte) wasmtest.Module { return function(code) }
	noMemory := code()
	noMemory.Memory = nil
	vector := code()
	vector.Globals = []wasmtest.Global{{Type: 0x7b, Mutable: true, Init: append([]byte{0xfd, 12}, make([]byte, 16)...)}}
	tests := map[string]struct {
		module   wasmtest.Module
		features []string
		blockers []string
	}{
		"plain":       {code(), nil, nil},
		"table.set":   {code(wasmtest.I32Const, 0, 0xd0, 0x70, 0x26, 0), []string{"reference-types"}, []string{"it changes tables while it runs"}},
		"memory.fill": {code(wasmtest.I32Const, 0, wasmtest.I32Const, 0, wasmtest.I32Const, 0, misc, 11, 0), []string{"bulk-memory-operations"}, nil},
		"tail call":   {code(wasmtest.LocalGet, 0, returnCall, 0), []string{"tail-call"}, nil},
		"extend8":     {code(wasmtest.LocalGet, 0, 0xc0, wasmtest.Drop), []string{"sign-extension-ops"}, nil},
		"trunc_sat":   {code(0x43, 0, 0, 0, 0, misc, 0, wasmtest.Drop), []string{"nontrapping-float-to-int-conversion"}, nil},
		"exceptions":  {code(0x1f, wasmtest.Empty, 0, wasmtest.End), []string{"exception-handling"}, []string{"it uses exceptions"}},
		"vector":      {vector, []string{"simd"}, []string{"it has a mutable global that is a vector or a reference"}},
		"no memory":   {noMemory, nil, []string{"it has no memory"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rep, err := Inspect(test.module.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(rep.Features, test.features) || !slices.Equal(rep.SnapshotBlockers, test.blockers) {
				t.Errorf("features %q, blockers %q; want %q, %q", rep.Features, rep.SnapshotBlockers, test.features, test.blockers)
			}
		})
	}
}

// TestChangesOutsideOfMemoryBlockSnapshots tests every instruction that changes an instance.
// Changes outside memory and globals are reported as blockers.
func TestChangesOutsideOfMemoryBlockSnapshots(t *testing.T) {
	const tables, segments, exceptions = "it changes tables while it runs", "it uses memory.init or data.drop", "it uses exceptions"
	null, zero := []byte{0xd0, 0x70}, wasmtest.Const(0)
	three := wasmtest.Code(zero, zero, zero)
	tests := map[string]struct {
		code []byte
		want string // empty if nothing blocks
	}{
		"table.set":   {wasmtest.Code(zero, null, []byte{0x26, 0}), tables},
		"table.grow":  {wasmtest.Code(null, zero, []byte{misc, 15, 0, wasmtest.Drop}), tables},
		"table.fill":  {wasmtest.Code(zero, null, zero, []byte{misc, 17, 0}), tables},
		"table.copy":  {wasmtest.Code(three, []byte{misc, 14, 0, 0}), tables},
		"table.init":  {wasmtest.Code(three, []byte{misc, 12, 0, 0}), tables},
		"elem.drop":   {wasmtest.Code([]byte{misc, 13, 0}, three, []byte{misc, 12, 0, 0}), tables},
		"memory.init": {wasmtest.Code(three, []byte{misc, 8, 0, 0}), segments},
		"data.drop":   {[]byte{misc, 9, 0}, segments},
		"throw":       {[]byte{0x08, 0}, exceptions},
		"try_table":   {[]byte{0x1f, wasmtest.Empty, 0, wasmtest.End}, exceptions},
		// The host restores what these instructions change.
		"memory.grow": {wasmtest.Code(zero, []byte{wasmtest.MemoryGrow, 0, wasmtest.Drop}), ""},
		"memory.fill": {wasmtest.Code(three, []byte{misc, 11, 0}), ""},
		"memory.copy": {wasmtest.Code(three, []byte{misc, 10, 0, 0}), ""},
		"store":       {wasmtest.Code(zero, zero, []byte{wasmtest.I32Store, 0, 0}), ""},
		"global.set":  {wasmtest.Code(zero, []byte{globalSet, 0}), ""},
		// An element segment that no code reads.
		"elem.drop alone": {[]byte{misc, 13, 0}, ""},
	}
	r := newRuntime(t)
	for name, test := range tests {
		m := function(test.code)
		m.Elements = []wasmtest.Element{{Funcs: []uint32{0}}}
		m.Data, m.DataCount = []wasmtest.Data{{Bytes: []byte{1}}}, true
		m.Globals = []wasmtest.Global{{Type: wasmtest.I32, Mutable: true, Init: zero}}
		if test.want == exceptions {
			m.Types, m.Tags = append(m.Types, wasmtest.FuncType{}), []uint32{1}
		}
		wasm := m.Bytes()
		if err := compiles(r, wasm); err != nil {
			t.Errorf("%s: the test is wrong: %v", name, err)
		}
		rep, err := Inspect(wasm)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(rep.SnapshotBlockers, ", "); got != test.want {
			t.Errorf("%s: blockers %q, want %q", name, got, test.want)
		}
	}
}

func TestCodeIsRefused(t *testing.T) {
	tests := map[string]struct {
		code []byte
		kind Kind
		text string
	}{
		"unknown opcode":               {[]byte{0x27}, Unsupported, "opcode 0x27"},
		"old exceptions":               {[]byte{0x06, wasmtest.Empty}, Unsupported, "build the module without them"},
		"relaxed SIMD":                 {[]byte{0xfd, 0x80, 0x02}, Unsupported, "relaxed SIMD"},
		"vector opcode in a long form": {[]byte{0xfd, 0x8c, 0x00}, Unsupported, "shortest"},
		"atomic opcode in a long form": {[]byte{0xfe, 0x83, 0x00, 0}, Unsupported, "shortest"},
		"garbage collection":           {[]byte{0xfb, 0}, Unsupported, "garbage-collected"},
		"select of a long type":        {[]byte{wasmtest.I32Const, 0, 0x1c, 1, 0x63, 0x70}, Unsupported, "a select of type"},
		"second memory":                {[]byte{0x3f, 1, wasmtest.Drop}, Unsupported, "only one memory"},
		"memory in the alignment":      {[]byte{wasmtest.I32Const, 0, wasmtest.I32Load, 0x40, 0, 0}, Unsupported, "alignment"},
		"label of nothing":             {[]byte{wasmtest.Br, 1}, Malformed, "there is no label 1"},
		"labels beyond the body":       {[]byte{0x0e, 0xff, 0xff, 0xff, 0xff, 0x0f}, Malformed, "4294967295 labels"},
		"code after the end":           {[]byte{wasmtest.End, wasmtest.Nop}, Malformed, "after the end"},
		"block without end":            {[]byte{block, wasmtest.Empty}, Malformed, "inside a block"},
		"else without if":              {[]byte{elseOp}, Malformed, "else without if"},
		"two elses":                    {[]byte{wasmtest.LocalGet, 0, ifOp, wasmtest.Empty, elseOp, elseOp, wasmtest.End}, Malformed, "else without if"},
		"cut immediate":                {[]byte{0x44, 0, 0}, Malformed, "ends too early"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, err := Rewrite(function(test.code).Bytes(), Options{})
			e, ok := err.(*Error)
			if !ok || e.Kind != test.kind || !strings.Contains(e.Message, test.text) || e.Offset == 0 {
				t.Errorf("got %v, want %s with %q", err, test.kind, test.text)
			}
		})
	}
}

func TestManyResultsOnTheStackAreRefused(t *testing.T) {
	results := slices.Repeat([]byte{wasmtest.F32}, 1000)
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{{Results: results}, {}},
		Funcs: []wasmtest.Func{
			{Body: []byte{0x00}},
			{Type: 1, Body: append(slices.Repeat(wasmtest.CallFunc(0), 1000), wasmtest.I32Const, 0, selectOp, 0x00)},
		},
	}
	_, _, err := Rewrite(m.Bytes(), Options{SplitSelects: true})
	if err == nil || !strings.Contains(err.Error(), "values on the stack") {
		t.Errorf("got %v", err)
	}
}
