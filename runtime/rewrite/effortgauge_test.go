package rewrite

import (
	"os"
	"path/filepath"
	"testing"
)

// In reachable code, the gauge counts as many values as the typer has types on its stack.
func TestGaugeCountsValues(t *testing.T) {
	examples, err := filepath.Glob(filepath.Join("..", "..", "guest-examples", "*", "*.wasm"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	modules := make(map[string][]byte)
	for _, path := range examples {
		if modules[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range shapes() {
		modules[s.name] = s.make(20).Bytes()
	}
	for name, wasm := range modules {
		m, refusal := read(wasm)
		if refusal != nil {
			t.Fatalf("%s: %v", name, refusal)
		}
		for i := range m.codes {
			if at, want, got := firstDifference(m, i); at > 0 {
				t.Fatalf("%s, function %d, byte %d: the gauge counts %d values of %d", name, i, at, got, want)
			}
		}
	}
}

// firstDifference returns where gauge and typer first differ in function i.
func firstDifference(m *module, i int) (at, want, got int) {
	var (
		in   instr
		list []uint32
		ty   typer
		g    gauge
	)
	ty.body(m, i)
	ty.start(i)
	g.begin(m, ty.locals, 0, m.types[m.funcs[m.importedFuncs+i]])
	dead := -1 // number of open blocks around unreachable code; -1 in reachable code
	for ty.next(&in) {
		if open := len(ty.frames); dead >= open && (in.op == opEnd || in.op == opElse) {
			dead = -1
		}
		ty.step(&in)
		if in.op < 0x100 && simple[in.op] {
			g.simple(in.op)
		} else {
			g.step(&in)
		}
		if in.op == opBrTable {
			list = ty.labels(list[:0], &in)
			for _, l := range list {
				g.branch(l)
			}
		}
		switch in.op {
		case opBr, opBrTable, opReturn, opUnreachable:
			if dead < 0 {
				dead = len(ty.frames)
			}
		}
		if dead < 0 && len(ty.frames) > 0 && g.height != len(ty.stack) {
			return in.off, len(ty.stack), g.height
		}
	}
	return 0, 0, 0
}
