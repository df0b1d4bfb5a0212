package rewrite

import (
	"bytes"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// moved is the number of locals that the code of movers moves.
const moved = 100

// movers are ways to make the engine move many values at almost no other cost. Local 0 is not zero;
// the locals from 2 on are the values to move. Function 1 has type 1 and returns as many values as
// it takes.
func movers() map[string][]byte {
	var get, set, drop []byte
	for i := range uint32(moved) {
		get = wasmtest.U32(append(get, wasmtest.LocalGet), 2+i)
		set = wasmtest.U32(append(set, localSet), 2+(i+1)%moved)
		drop = append(drop, wasmtest.Drop)
	}
	rotate := wasmtest.Code(get, set)
	open, end := []byte{block, wasmtest.Empty}, []byte{wasmtest.End}
	arg := []byte{wasmtest.LocalGet, 0}
	leave := []byte{wasmtest.LocalGet, 0, wasmtest.BrIf, 0}
	return map[string][]byte{
		"loop":         rotate,
		"then":         wasmtest.Code(arg, []byte{ifOp, wasmtest.Empty}, rotate, end),
		"else":         wasmtest.Code(arg, []byte{i32Eqz, ifOp, wasmtest.Empty, elseOp}, rotate, end),
		"br_if":        wasmtest.Code(open, rotate, leave, rotate, end),
		"br":           wasmtest.Code(open, rotate, []byte{wasmtest.Br, 0}, end),
		"br_table":     wasmtest.Code(open, rotate, arg, []byte{0x0e, 1, 0, 0}, end),
		"block values": wasmtest.Code(get, []byte{block, 1}, leave, end, drop),
		"loop values":  wasmtest.Code(get, []byte{wasmtest.Loop, 1}, end, drop),
		"call":         wasmtest.Code(get, wasmtest.CallFunc(1), drop),
		"indirect":     wasmtest.Code(get, []byte{wasmtest.I32Const, 0, callIndirect, 1, 0}, drop),
	}
}

func TestMovesAreCharged(t *testing.T) {
	const rounds = 20
	values := bytes.Repeat([]byte{wasmtest.I32}, moved)
	var same []byte
	for i := range byte(moved) {
		same = append(same, wasmtest.LocalGet, i)
	}
	for name, code := range movers() {
		m := wasmtest.Module{
			Types: []wasmtest.FuncType{{Params: []byte{wasmtest.I32}}, {Params: values, Results: values}},
			Funcs: []wasmtest.Func{
				{Locals: append([]byte{wasmtest.I32}, values...), Body: wasmtest.Code(
					[]byte{wasmtest.LocalGet, 0, localSet, 1, wasmtest.Loop, wasmtest.Empty},
					code,
					[]byte{wasmtest.LocalGet, 1, wasmtest.I32Const, 1, i32Sub, localTee, 1, wasmtest.BrIf, 0, wasmtest.End},
				)},
				{Type: 1, Body: same},
			},
			Tables:   [][]uint32{{1}},
			Elements: []wasmtest.Element{{Funcs: []uint32{1}}},
			Exports:  []wasmtest.Export{{Name: "run"}},
		}
		used, err := runMetered(t, m.Bytes(), &refiller{slice: 1000, budget: 1 << 60}).run(rounds)
		least := int64(rounds * (moved - freeMoves) / movesPerUnit)
		if err != nil || used < least || used > 6*least {
			t.Errorf("%s: %d units, %v; want %d or a bit more", name, used, err, least)
		}
	}
}

func TestMovingFewLocalsIsFree(t *testing.T) {
	few := func(sets []byte) []byte {
		return function([]byte{wasmtest.Loop, wasmtest.Empty}, sets, []byte{
			wasmtest.LocalGet, 0, wasmtest.I32Const, 1, i32Sub, localTee, 0, wasmtest.BrIf, 0, wasmtest.End,
		}).Bytes()
	}
	without, err := runMetered(t, few(nil), &refiller{slice: 1, budget: 1 << 60}).run(10)
	if err != nil {
		t.Fatal(err)
	}
	// A local that is set many times is still one value to move.
	with, err := runMetered(t, few(bytes.Repeat([]byte{wasmtest.LocalGet, 0, localSet, 1}, 200)), &refiller{slice: 1, budget: 1 << 60}).run(10)
	if err != nil || with != without {
		t.Errorf("%d units with two locals, %d with one, %v", with, without, err)
	}
}
