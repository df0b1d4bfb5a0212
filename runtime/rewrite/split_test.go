package rewrite

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// appendParts appends a section PartsSection to a module.
func appendParts(wasm []byte, lists [][]uint32) []byte {
	out, at := openSize(append(slices.Clip(wasm), secCustom))
	out = appendU32(appendName(out, PartsSection), uint32(len(lists)))
	for _, list := range lists {
		out = appendU32(out, uint32(len(list)))
		last := uint32(0)
		for _, f := range list {
			out = appendU32(out, f-last)
			last = f
		}
	}
	closeSize(out, at)
	return out
}

// inParts splits a module by lists of functions. late is empty if the module cannot be split.
func inParts(t testing.TB, wasm []byte, lists ...[]uint32) (early []byte, late [][]byte, rep *Report) {
	t.Helper()
	named := appendParts(wasm, lists)
	o := everything
	o.Part = Early
	early, rep, err := Rewrite(named, o)
	if err != nil {
		t.Fatal(err)
	}
	for o.Part = Early + 1; o.Part <= rep.Parts; o.Part++ {
		part, _, err := Rewrite(named, o)
		if err != nil {
			t.Fatal(err)
		}
		late = append(late, part)
	}
	return early, late, rep
}

// randomLists divides some functions that a module defines into one to three lists.
func randomLists(t testing.TB, random *rand.Rand, wasm []byte) [][]uint32 {
	t.Helper()
	m, err := read(wasm)
	if err != nil {
		t.Fatal(err)
	}
	lists := make([][]uint32, 1+random.IntN(3))
	for f := m.importedFuncs; f < len(m.funcs); f++ {
		if k := random.IntN(len(lists) + 1); k < len(lists) {
			lists[k] = append(lists[k], uint32(f))
		}
	}
	return lists
}

// TestPartsBehaveLikeTheWhole calls every exported function of the corpus, whole and split at
// random. Results, state and fuel are the same.
func TestPartsBehaveLikeTheWhole(t *testing.T) {
	const seed = 27
	random := rand.New(rand.NewPCG(seed, seed))
	files := corpus(t)
	valid := newRuntime(t)
	var spectest []byte
	for _, f := range files {
		if f.name == "spectest/testdata/spectest.wasm" {
			spectest = f.wasm
		}
	}
	split, loads, calls := 0, 0, 0
	for i, f := range files {
		if i%corpusStep != 0 || len(f.wasm) > 200_000 || compiles(valid, f.wasm) != nil {
			continue
		}
		whole, rep, err := Rewrite(f.wasm, everything)
		if err != nil || rep.LargestFunction.Bytes > 8<<10 {
			continue
		}
		early, late, _ := inParts(t, f.wasm, randomLists(t, random, f.wasm)...)
		if late == nil {
			continue
		}
		config := wazero.NewRuntimeConfig()
		if split++; split%4 == 0 {
			config = wazero.NewRuntimeConfigInterpreter() // some systems have no compiler
		}
		n, loaded := compareParts(t, f.name, config, spectest, whole, early, late, rep)
		calls, loads = calls+n, loads+loaded
	}
	t.Logf("%d modules in parts, %d late parts loaded, %d calls", split, loads, calls)
	if calls < 6_000/corpusStep || loads < 500/corpusStep {
		t.Errorf("only %d calls of %d modules were compared, with %d late parts", calls, split, loads)
	}
}

// compareParts calls the functions of a module and of its parts in the same order.
func compareParts(t *testing.T, name string, config wazero.RuntimeConfig, spectest, whole, early []byte, late [][]byte, rep *Report) (calls, loads int) {
	t.Helper()
	old, errOld := enter(t, config, spectest, whole)
	defer old.leave()
	now, errNow := enterParts(t, config, spectest, early, late)
	defer now.leave()
	if errOld != nil && errNow != nil && strings.Contains(errOld.Error(), "not instantiated") {
		return 0, 0 // it imports from a module that does not exist here
	}
	if (errOld == nil) != (errNow == nil) || errOld != nil && firstLine(errOld) != firstLine(errNow) {
		t.Errorf("%s: instantiation: %v whole, %v in parts", name, errOld, errNow)
	}
	if errOld != nil || errNow != nil {
		return 0, 0
	}
	ctx := context.Background()
	for _, e := range rep.Exports {
		if e.Kind != ExternFunc || strings.Contains(e.Signature, "ref") {
			continue
		}
		params := old.module.ExportedFunction(e.Name).Definition().ParamTypes()
		for _, pattern := range patterns {
			var args []uint64
			for _, p := range params {
				if args = append(args, pattern); p == 0x7b {
					args = append(args, pattern)
				}
			}
			want, endedOld := old.call(ctx, e.Name, args)
			got, endedNow := now.call(ctx, e.Name, args)
			used, usedNow := old.fuel.used-old.fuel.left(old.module), now.fuel.used-now.fuel.left(now.module)
			if want != got || endedOld != endedNow || used != usedNow {
				t.Errorf("%s: %s(%x): %s and fuel %d whole, %s and fuel %d in parts", name, e.Name, args, want, used, got, usedNow)
				return calls, now.loads
			}
			if calls++; !endedOld || len(params) == 0 {
				break
			}
		}
	}
	if want, got := old.state(rep), now.state(rep); want != got {
		t.Errorf("%s: memory or globals differ afterwards", name)
	}
	if now.loads > len(late) {
		t.Errorf("%s: %d late parts were loaded %d times", name, len(late), now.loads)
	}
	return calls, now.loads
}

// Each function is in its part, and in no other.
func TestEachFunctionIsInOnePart(t *testing.T) {
	marker := func(n byte) []byte {
		return []byte{wasmtest.I32Const, n, wasmtest.I32Const, n, wasmtest.I32Add, wasmtest.Drop}
	}
	m := wasmtest.Module{Types: []wasmtest.FuncType{{}}, Memory: []uint32{1}}
	for n := range byte(6) {
		m.Funcs = append(m.Funcs, wasmtest.Func{Body: marker(10 + n)})
		m.Exports = append(m.Exports, wasmtest.Export{Name: string('a' + rune(n)), Index: uint32(n)})
	}
	early, late, rep := inParts(t, m.Bytes(), []uint32{1, 3}, []uint32{0, 5})
	if rep.Parts != 3 {
		t.Fatalf("the module has %d parts", rep.Parts)
	}
	parts := append([][]byte{early}, late...)
	for n, want := range []int{1, 0, 2, 0, 2, 1} {
		for k, part := range parts {
			if has := bytes.Contains(part, marker(10+byte(n))); has != (k == want) {
				t.Errorf("function %d in part %d: %v", n, k, has)
			}
		}
	}
}

// A module that cannot be split stays whole, and has no late part.
func TestSomeModulesStayWhole(t *testing.T) {
	plain := wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Funcs: []wasmtest.Func{{}, {}}, Memory: []uint32{1},
		Exports: []wasmtest.Export{{Name: "a"}, {Name: "b", Index: 1}},
	}
	segments := plain
	segments.Data, segments.DataCount = []wasmtest.Data{{Bytes: []byte("x")}}, true
	segments.Funcs = []wasmtest.Func{{}, {Body: []byte{0xfc, 0x09, 0}}} // data.drop 0
	lines := plain
	lines.Custom = map[string][]byte{lineSection: {0}}
	for name, test := range map[string]struct {
		wasm  []byte
		early []uint32
		whole bool
	}{
		"all early":     {plain.Bytes(), []uint32{0, 1}, true},
		"no early":      {plain.Bytes(), nil, false},
		"segments":      {segments.Bytes(), nil, true},
		"lines of code": {lines.Bytes(), nil, true},
	} {
		o := everything
		o.Offsets, o.Part = true, Early
		named := appendParts(test.wasm, [][]uint32{test.early})
		_, rep, err := Rewrite(named, o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		o.Part = Early + 1
		if _, _, err = Rewrite(named, o); (rep.Parts == 0) != test.whole || (err != nil) != test.whole {
			t.Errorf("%s: %d parts, and the error of the late part is %v", name, rep.Parts, err)
		}
		o.Part++
		if _, _, err = Rewrite(named, o); err == nil {
			t.Errorf("%s: there is a part after the last", name)
		}
	}
	if _, rep, err := Rewrite(plain.Bytes(), Options{Meter: true, ExportState: true, Part: Early}); err != nil || rep.Parts > 0 {
		t.Errorf("a module without the section: %+v, %v", rep, err)
	}
	if _, rep, err := Rewrite(appendParts(plain.Bytes(), [][]uint32{nil}), everything); err != nil || rep.Parts > 0 {
		t.Errorf("the whole was asked for: %+v, %v", rep, err)
	}
}

func TestBrokenPartsSectionsAreRefused(t *testing.T) {
	plain := wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Imports: []wasmtest.Import{{Module: "env", Name: "f"}}, Funcs: []wasmtest.Func{{}, {}},
	}.Bytes()
	section := func(content ...byte) []byte {
		out := append(bytes.Clone(plain), secCustom, byte(1+len(PartsSection)+len(content)), byte(len(PartsSection)))
		return append(append(out, PartsSection...), content...)
	}
	for name, wasm := range map[string][]byte{
		"empty":                 section(),
		"too many lists":        section(append([]byte{MaxParts}, make([]byte, MaxParts)...)...),
		"too many functions":    section(1, 100),
		"missing":               section(1, 2, 1),
		"more":                  section(1, 1, 1, 1),
		"not ascending":         section(1, 2, 1, 0),
		"no such function":      section(1, 1, 3),
		"an imported function":  section(1, 1, 0),
		"wraps around":          section(1, 2, 1, 0xff, 0xff, 0xff, 0xff, 0x0f),
		"two sections":          append(section(1, 1, 1), section(1, 1, 1)[len(plain):]...),
		"in two lists":          section(2, 1, 1, 2, 1, 1),
		"an index over 32 bits": section(1, 1, 0xff, 0xff, 0xff, 0xff, 0x7f),
	} {
		_, _, err := Rewrite(wasm, everything)
		requireTyped(t, name, err)
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
