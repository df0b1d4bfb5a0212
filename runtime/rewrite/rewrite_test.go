package rewrite

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// header is the start of every module.
const header = "\x00asm\x01\x00\x00\x00"

func TestInvalidModulesAreRefused(t *testing.T) {
	huge := "\xff\xff\xff\xff\x0f" // 2^32-1
	tests := []struct {
		name   string
		wasm   string
		kind   Kind
		offset int
		text   string // part of the message
	}{
		{"empty file", "", Empty, 0, "build the module again"},
		{"magic only", "\x00asm", Truncated, 4, "4 of the 8 header bytes"},
		{"one byte", "\x00", Truncated, 1, "1 of the 8"},
		{"text", "(module)", Text, 0, "wat2wasm"},
		{"text after comments", "\ufeff ;; hello (module\n (; a (; nested ;) one ;)\n\t( module $m (func))", Text, 0, "wat2wasm"},
		{"text of a component", "(component $c)", Text, 0, "wat2wasm"},
		{"comment that never ends", "(; (module)", NotWasm, 0, `"\0asm"`},
		{"only a comment", ";; (module)", NotWasm, 0, `"\0asm"`},
		{"word that starts like a field", "(modules)", NotWasm, 0, `"\0asm"`},
		{"native program", "\x7fELF\x02\x01\x01\x00\x00", NotWasm, 0, "GOOS=wasip1"},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00", NotWasm, 0, "unpack"},
		{"web page", "<!DOCTYPE html><html>", NotWasm, 0, "error page"},
		{"git lfs pointer", "version https://git-lfs.github.com/spec/v1\n", NotWasm, 0, "git lfs pull"},
		{"short other file", "abc", NotWasm, 0, `"\0asm"`},
		{"component", "\x00asm\x0d\x00\x01\x00", Component, 4, "wasip1"},
		{"version 2", "\x00asm\x02\x00\x00\x00", Version, 4, "version 2"},
		{"unknown section", header + "\x0e\x00", Unsupported, 8, "section id 14"},
		{"no section size", header + "\x01", Truncated, 9, "ends too early"},
		{"section cut short", header + "\x01\x7f\x00", Truncated, 8, "should have 127 bytes, but only 1 follow"},
		{"section size over 32 bits", header + "\x01\xff\xff\xff\xff\x1f", Malformed, 9, "32 bits"},
		{"section size too long", header + "\x01\x80\x80\x80\x80\x80\x00", Malformed, 9, "32 bits"},
		{"section twice", header + "\x01\x01\x00\x01\x01\x00", Malformed, 11, "twice"},
		{"sections out of order", header + "\x03\x01\x00\x01\x01\x00", Malformed, 11, "out of order"},
		{"data count after code", header + "\x0a\x01\x00\x0c\x01\x00", Malformed, 11, "out of order"},
		{"tag after global", header + "\x06\x01\x00\x0d\x01\x00", Malformed, 11, "out of order"},
		{"section with bytes left", header + "\x01\x02\x00\x00", Malformed, 11, "1 bytes too many"},
		{"huge count of types", header + "\x01\x05" + huge, Malformed, 10, "4294967295 types"},
		{"huge count of imports", header + "\x02\x05" + huge, Malformed, 10, "4294967295 imports"},
		{"huge count of functions", header + "\x03\x05" + huge, Malformed, 10, "4294967295 functions"},
		{"huge count of tables", header + "\x04\x05" + huge, Malformed, 10, "4294967295 tables"},
		{"huge count of memories", header + "\x05\x05" + huge, Malformed, 10, "4294967295 memories"},
		{"huge count of globals", header + "\x06\x05" + huge, Malformed, 10, "4294967295 globals"},
		{"huge count of exports", header + "\x07\x05" + huge, Malformed, 10, "4294967295 exports"},
		{"huge count of element segments", header + "\x09\x05" + huge, Malformed, 10, "4294967295 element segments"},
		{"huge count of bodies", header + "\x0a\x05" + huge, Malformed, 10, "4294967295 bodies"},
		{"huge count of data segments", header + "\x0b\x05" + huge, Malformed, 10, "4294967295 data segments"},
		{"huge count of tags", header + "\x0d\x05" + huge, Malformed, 10, "4294967295 tags"},
		{"huge count of parameters", header + "\x01\x07\x01\x60" + huge, Malformed, 12, "4294967295 parameters"},
		{"huge import name", header + "\x02\x09\x01" + huge + "abc", TooLarge, 16, "module name"},
		{"huge data count", header + "\x0c\x05" + huge, Malformed, 15, "announced: 4294967295"},
		{"name that is not UTF-8", header + "\x02\x07\x01\x01\xff\x00\x00\x00\x00", Malformed, 12, "UTF-8"},
		{"type that is not a function", header + "\x01\x04\x01\x5f\x00\x00", Unsupported, 11, "form 0x5f"},
		{"unknown value type", header + "\x01\x05\x01\x60\x01\x01\x00", Unsupported, 13, "value type 0x1"},
		{"unknown heap type", header + "\x01\x06\x01\x60\x01\x63\x6e\x00", Unsupported, 14, "heap type -18"},
		{"function of no type", header + "\x03\x02\x01\x00", Malformed, 11, "no type 0"},
		{"unknown import kind", header + "\x02\x05\x01\x00\x00\x05\x00", Unsupported, 13, "import kind 5"},
		{"unknown export kind", header + "\x07\x04\x01\x00\x05\x00", Unsupported, 12, "export kind 5"},
		{"export of nothing", header + "\x07\x04\x01\x00\x03\x00", Malformed, 13, "no global 0"},
		{"export twice", header + "\x05\x03\x01\x00\x00\x07\x07\x02\x00\x02\x00\x00\x02\x00", Malformed, 19, "twice"},
		{"start without a function", header + "\x08\x01\x00", Malformed, 10, "no function 0"},
		{"two memories", header + "\x05\x05\x02\x00\x00\x00\x00", Unsupported, 15, "2 memories"},
		{"64-bit memory", header + "\x05\x03\x01\x04\x00", Unsupported, 11, "wasm32"},
		{"memory above 4 GiB", header + "\x05\x05\x01\x00\x81\x80\x04", Malformed, 11, "65536 pages"},
		{"memory with its maximum below", header + "\x05\x04\x01\x01\x02\x01", Malformed, 11, "minimum 2 above its maximum 1"},
		{"shared memory", header + "\x05\x04\x01\x03\x00\x01", Unsupported, 8, "shared memory"},
		{"table of numbers", header + "\x04\x04\x01\x7f\x00\x00", Malformed, 11, "i32 is not a reference"},
		{"global of odd mutability", header + "\x06\x06\x01\x7f\x02\x41\x00\x0b", Malformed, 12, "mutable"},
		{"constant with an unknown opcode", header + "\x06\x05\x01\x7f\x00\x01\x0b", Unsupported, 13, "opcode 0x1"},
		{"constant from a global to come", header + "\x06\x06\x01\x7f\x00\x23\x00\x0b", Malformed, 14, "no global 0"},
		{"constant without end", header + "\x06\x05\x01\x7f\x00\x41\x00", Malformed, 15, "ends too early"},
		{"constant above 32 bits", header + "\x06\x0a\x01\x7f\x00\x41\xff\xff\xff\xff\x1f\x0b", Malformed, 14, "32 bits"},
		{"unknown element form", header + "\x09\x03\x01\x08\x00", Unsupported, 11, "form 8"},
		{"unknown data form", header + "\x0b\x03\x01\x03\x00", Unsupported, 11, "form 3"},
		{"function without a body", header + "\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00", Malformed, 18, "declared: 1, but bodies given: 0"},
		{"body longer than its section", header + "\x0a\x04\x01\x09\x00\x0b", Malformed, 11, "function 0 should have 9 bytes"},
		{"body without end", header + "\x0a\x04\x01\x02\x00\x01", Malformed, 14, "does not end"},
		{"body without instructions", header + "\x0a\x04\x01\x01\x00\x0b", Malformed, 13, "does not end"},
		{"billions of locals", header + "\x0a\x0a\x01\x08\x01" + huge + "\x7f\x0b", TooLarge, 13, "10000 locals"},
		{"locals that add up", header + "\x0a\x0b\x01\x09\x02\xa0\x8d\x06\x7f\x01\x7f\x0b\x00", TooLarge, 13, "10000 locals"},
		{"custom section without a name", header + "\x00\x00", Malformed, 10, "ends too early"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, rep, err := Rewrite([]byte(test.wasm), Options{})
			if out != nil || rep != nil {
				t.Errorf("Rewrite returned output besides the error")
			}
			requireError(t, err, test.kind, test.offset, test.text)
			if _, err := Inspect([]byte(test.wasm)); err != nil || test.kind != Unsupported {
				requireError(t, err, test.kind, test.offset, test.text)
			}
		})
	}
}

func requireError(t *testing.T, err error, kind Kind, offset int, text string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an *Error", err)
	}
	if e.Kind != kind || e.Offset != offset || !strings.Contains(e.Message, text) {
		t.Fatalf("got %s at %d: %q; want %s at %d with %q", e.Kind, e.Offset, e.Message, kind, offset, text)
	}
}

func TestIncompleteFilesAreTruncated(t *testing.T) {
	whole := sample().Bytes()
	m, err := read(whole)
	if err != nil {
		t.Fatal(err)
	}
	boundaries := map[int]bool{0: true, headerBytes: true}
	for _, s := range m.sections {
		boundaries[s.end] = true
	}
	for n := range m.sections[len(m.sections)-1].end {
		if boundaries[n] {
			continue
		}
		_, err := Inspect(whole[:n])
		var e *Error
		if !errors.As(err, &e) || e.Kind != Truncated {
			t.Errorf("cut to %d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// sample is a module with one item of most kinds.
func sample() wasmtest.Module {
	start := uint32(1)
	return wasmtest.Module{
		Types:   []wasmtest.FuncType{{}, {Params: []byte{wasmtest.I32, wasmtest.F64}, Results: []byte{wasmtest.I64}}, {Results: []byte{wasmtest.I32, wasmtest.I32}}},
		Imports: []wasmtest.Import{{Module: "env", Name: "host", Type: 1}},
		Funcs: []wasmtest.Func{
			{Type: 0, Locals: []byte{wasmtest.I32, wasmtest.F32}, Body: []byte{wasmtest.Nop}},
			{Type: 2, Body: wasmtest.Code(wasmtest.Const(1), wasmtest.Const(2))},
		},
		Tables:  [][]uint32{{1, 4}},
		Memory:  []uint32{1, 2},
		Exports: []wasmtest.Export{{Name: "pair", Kind: 0, Index: 2}, {Name: "memory", Kind: 2}, {Name: "host", Kind: 0, Index: 0}},
		Start:   &start,
		Data:    []wasmtest.Data{{Offset: 8, Bytes: []byte("hello")}},
		Custom: map[string][]byte{
			"name":      {0, 2, 1, 'm'},
			"producers": []byte("\x01\x08language\x01\x02Go\x041.26"),
		},
	}
}

func TestInspectReportsStructure(t *testing.T) {
	rep, err := Inspect(sample().Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if want := []Import{{Module: "env", Name: "host", Kind: ExternFunc, Signature: "(i32, f64) -> i64"}}; !slices.Equal(rep.Imports, want) {
		t.Errorf("imports %+v, want %+v", rep.Imports, want)
	}
	if want := []Export{
		{Name: "pair", Kind: ExternFunc, Signature: "() -> (i32, i32)"},
		{Name: "memory", Kind: ExternMemory},
		{Name: "host", Kind: ExternFunc, Signature: "(i32, f64) -> i64", Imported: true},
	}; !slices.Equal(rep.Exports, want) {
		t.Errorf("exports %+v, want %+v", rep.Exports, want)
	}
	if want := (Limits{Min: 1, Max: 2, HasMax: true}); rep.Memory == nil || *rep.Memory != want {
		t.Errorf("memory %+v, want %+v", rep.Memory, want)
	}
	if want := []Limits{{Min: 1, Max: 4, HasMax: true}}; !slices.Equal(rep.Tables, want) {
		t.Errorf("tables %+v, want %+v", rep.Tables, want)
	}
	if want := (FunctionSize{Index: 1, Bytes: 7}); rep.LargestFunction != want || rep.Functions != 2 || !rep.HasStart {
		t.Errorf("largest function %+v of %d, start %v", rep.LargestFunction, rep.Functions, rep.HasStart)
	}
	if want := []string{"name", "producers"}; !slices.Equal(rep.CustomSections, want) {
		t.Errorf("custom sections %q, want %q", rep.CustomSections, want)
	}
	if want := []Producer{{Field: "language", Name: "Go", Version: "1.26"}}; !slices.Equal(rep.Producers, want) {
		t.Errorf("producers %+v, want %+v", rep.Producers, want)
	}
}

func TestMalformedProducersAreIgnored(t *testing.T) {
	m := wasmtest.Module{Custom: map[string][]byte{"producers": {0xff, 0xff, 0xff, 0xff, 0x0f}}}
	rep, err := Inspect(m.Bytes())
	if err != nil || rep.Producers != nil {
		t.Errorf("got %+v, %v", rep, err)
	}
}

func TestTablesAreCapped(t *testing.T) {
	tests := []struct {
		name  string
		table []uint32
		limit uint32
		want  Limits
	}{
		{"no maximum", []uint32{3}, 0, Limits{Min: 3, Max: DefaultMaxTableElements, HasMax: true}},
		{"maximum above", []uint32{3, 1 << 26}, 10, Limits{Min: 3, Max: 10, HasMax: true}},
		{"maximum below", []uint32{3, 5}, 10, Limits{Min: 3, Max: 5, HasMax: true}},
		{"minimum at the limit", []uint32{10}, 10, Limits{Min: 10, Max: 10, HasMax: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := wasmtest.Module{Tables: [][]uint32{test.table, {1, 2}}}
			out, rep, err := Rewrite(m.Bytes(), Options{MaxTableElements: test.limit})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Tables[0].Min != uint64(test.table[0]) || rep.Tables[0].HasMax != (len(test.table) == 2) {
				t.Errorf("the report has %+v, want the input's", rep.Tables[0])
			}
			after, err := Inspect(out)
			if err != nil {
				t.Fatal(err)
			}
			if want := []Limits{test.want, {Min: 1, Max: 2, HasMax: true}}; !slices.Equal(after.Tables, want) {
				t.Errorf("got %+v, want %+v", after.Tables, want)
			}
		})
	}
}

func TestImportedTablesAreCapped(t *testing.T) {
	importTable := header + "\x02\x09\x01\x01e\x01t\x01\x70\x00\x05"
	out, _, err := Rewrite([]byte(importTable), Options{MaxTableElements: 7})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := Inspect(out)
	if want := (Limits{Min: 5, Max: 7, HasMax: true, Imported: true}); err != nil || rep.Tables[0] != want {
		t.Errorf("got %+v, %v, want %+v", rep, err, want)
	}
	_, _, err = Rewrite([]byte(importTable), Options{MaxTableElements: 4})
	requireError(t, err, TooLarge, 17, "table 0 starts with 5 elements; at most 4")
}

func TestLargeInputsAreRefused(t *testing.T) {
	body := bytes.Repeat([]byte{wasmtest.Nop}, 1000)
	m := wasmtest.Module{
		Types:   []wasmtest.FuncType{{}},
		Imports: []wasmtest.Import{{Module: "env", Name: "host"}},
		Funcs:   []wasmtest.Func{{}, {Body: body}},
		Tables:  [][]uint32{{1}, {20}},
	}
	wasm := m.Bytes()
	_, _, err := Rewrite(wasm, Options{MaxTableElements: 19})
	requireError(t, err, TooLarge, bytes.Index(wasm, []byte{0x70, 0, 20})+1, "table 1 starts with 20 elements; at most 19")
	_, _, err = Rewrite(wasm, Options{MaxFunctionBytes: 1001})
	requireError(t, err, TooLarge, bytes.Index(wasm, body)-1, "function 2 has 1002 bytes; at most 1001")
	if _, _, err = Rewrite(wasm, Options{MaxFunctionBytes: 1002, MaxTableElements: 20}); err != nil {
		t.Error(err)
	}
}

func TestTypesWithManyValuesAreRefused(t *testing.T) {
	m := wasmtest.Module{}
	for range maxTypeValues / maxParams {
		m.Types = append(m.Types, wasmtest.FuncType{Params: wide(maxParams)})
	}
	if _, err := Inspect(m.Bytes()); err != nil {
		t.Error(err)
	}
	m.Types = append(m.Types, wasmtest.FuncType{Results: wide(1)})
	_, err := Inspect(m.Bytes())
	var e *Error
	if !errors.As(err, &e) || e.Kind != TooLarge || !strings.Contains(e.Message, "more than 100000 parameters and results together") {
		t.Error(err)
	}
}

func TestCustomSectionsAreRemoved(t *testing.T) {
	out, _, err := Rewrite(sample().Bytes(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := Inspect(out)
	if err != nil || len(rep.CustomSections) > 0 {
		t.Errorf("got %+v, %v", rep, err)
	}
	if rep.Functions != 2 || len(rep.Exports) != 3 || *rep.Memory != (Limits{Min: 1, Max: 2, HasMax: true}) {
		t.Errorf("more than the custom sections was removed: %+v", rep)
	}
}

func TestRewriteIsDeterministicAndKeepsInput(t *testing.T) {
	wasm := sample().Bytes()
	before := bytes.Clone(wasm)
	first, _, err := Rewrite(wasm, Options{SplitSelects: true})
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := Rewrite(wasm, Options{SplitSelects: true})
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("two runs differ: %v", err)
	}
	clear(first)
	if !bytes.Equal(wasm, before) {
		t.Error("the input was changed")
	}
}

// callTree returns functions that each call the next one twice: 2^depth calls and no loop.
func callTree(depth int) wasmtest.Module {
	m := wasmtest.Module{
		Types:   []wasmtest.FuncType{{}},
		Exports: []wasmtest.Export{{Name: "run"}},
	}
	for i := range depth {
		next := wasmtest.CallFunc(uint32(i + 1))
		m.Funcs = append(m.Funcs, wasmtest.Func{Body: wasmtest.Code(next, next)})
	}
	m.Funcs = append(m.Funcs, wasmtest.Func{Body: []byte{wasmtest.Nop}})
	return m
}
