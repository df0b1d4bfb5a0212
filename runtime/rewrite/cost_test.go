package rewrite

import (
	"errors"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// TestEveryInstructionHasAPrice checks all instructions that the decoder knows. An instruction may
// cost nothing only if it becomes no compiled code, or is never metered.
func TestEveryInstructionHasAPrice(t *testing.T) {
	// Rewrite refuses modules with these instructions.
	free := map[opcode]bool{opThrow: true, opThrowRef: true, opTryTable: true}
	for _, op := range []opcode{
		opNop, opBlock, opLoop, opElse, opEnd, opDrop, opLocalGet, opLocalSet, opLocalTee, opUnreachable,
		opI32Const, opI64Const, opF32Const, opF64Const,
	} {
		free[op] = true
	}
	check := func(op opcode, imm immediate) {
		in := instr{op: op}
		if price := in.cost(); imm != immUnknown && imm != immPrefix && (price == 0) != free[op] && !(free[op] && featureOf(&in)&featExceptions != 0) {
			t.Errorf("opcode %#x costs %d", uint16(op), price)
		}
	}
	for op, imm := range opcodes {
		check(opcode(op), imm)
	}
	for prefix, table := range prefixedOpcodes {
		for op, imm := range table {
			check((opMisc+opcode(prefix))<<8|opcode(op), imm)
		}
	}
}

func TestExceptionsAreRefused(t *testing.T) {
	throws := wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Tags: []uint32{0},
		Funcs: []wasmtest.Func{{Body: []byte{0x08, 0}}},
	}
	tries := wasmtest.Module{
		Types: []wasmtest.FuncType{{}},
		Funcs: []wasmtest.Func{{Body: []byte{byte(opTryTable), wasmtest.Empty, 0, wasmtest.End}}},
	}
	tags := wasmtest.Module{Types: []wasmtest.FuncType{{}}, Tags: []uint32{0}}
	handed := wasmtest.Module{
		Types: []wasmtest.FuncType{{Params: []byte{0x69}}},
		Funcs: []wasmtest.Func{{}},
	}
	for name, m := range map[string]wasmtest.Module{"throw": throws, "try_table": tries, "a tag": tags, "a reference to one": handed} {
		_, _, err := Rewrite(m.Bytes(), Options{Meter: true})
		var e *Error
		if !errors.As(err, &e) || e.Kind != Unsupported || !strings.Contains(e.Message, "it uses exceptions") || !strings.Contains(e.Message, "build the module without them") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
