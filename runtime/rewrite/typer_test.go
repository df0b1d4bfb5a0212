package rewrite

import "testing"

// TestTypesAddUp follows the value stack through every valid body of the corpus. In reachable code,
// the stack at the end of a block must contain the block's results.
func TestTypesAddUp(t *testing.T) {
	valid := newRuntime(t)
	bodies := 0
	for _, f := range corpus(t) {
		if compiles(valid, f.wasm) != nil {
			continue
		}
		m, err := read(f.wasm)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		for i := range m.codes {
			bodies++
			checkBody(t, f.name, m, i)
		}
	}
	if bodies < 10_000 {
		t.Errorf("only %d bodies", bodies)
	}
}

func checkBody(t *testing.T, name string, m *module, i int) {
	t.Helper()
	var ty typer
	ty.body(m, i)
	ty.start(i)
	dead := []bool{false}
	var in instr
	for ty.next(&in) {
		top := len(dead) - 1
		switch in.op {
		case opElse, opEnd:
			frame := ty.frames[len(ty.frames)-1]
			want := len(frame.results)
			if frame.one != 0 {
				want = 1
			}
			if got := len(ty.stack) - frame.height; got != want && !dead[top] {
				t.Errorf("%s: function %d, byte %d: %d values at the end of a block, want %d", name, i, in.off, got, want)
				return
			}
			dead[top] = false
			if in.op == opEnd {
				dead = dead[:top]
			}
		case opBlock, opLoop, opIf, opTryTable:
			dead = append(dead, dead[top])
		case opUnreachable, opBr, opBrTable, opReturn, opThrow, opThrowRef, opReturnCall, opReturnCallIndirect, opReturnCallRef:
			dead[top] = true
		}
		ty.step(&in)
	}
	if ty.err != nil {
		t.Errorf("%s: function %d: %v", name, i, ty.err)
	}
}
