package rewrite

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// branchy returns a module with functions that repeat a piece of code and have some locals of type
// i32. A function that does nothing precedes them.
func branchy(functions, locals, times int, code ...byte) []byte {
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{{}},
		Funcs: []wasmtest.Func{{}},
	}
	for range functions {
		m.Funcs = append(m.Funcs, wasmtest.Func{
			Locals: bytes.Repeat([]byte{wasmtest.I32}, locals),
			Body:   bytes.Repeat(code, times),
		})
	}
	return m.Bytes()
}

func TestFunctionsThatTakeLongToCompileAreRefused(t *testing.T) {
	var (
		loop  = []byte{wasmtest.Loop, wasmtest.Empty, wasmtest.End}
		ifs   = []byte{wasmtest.LocalGet, 0, ifOp, wasmtest.Empty, wasmtest.End}
		brIf  = []byte{wasmtest.LocalGet, 0, wasmtest.BrIf, 0}
		table = wasmtest.Code([]byte{block, wasmtest.Empty, wasmtest.LocalGet, 0, 0x0e, 99}, make([]byte, 100), []byte{wasmtest.End})
		calls = wasmtest.CallFunc(1) // calls itself, so that there are many checks
	)
	for name, test := range map[string]struct {
		locals, few, many int
		code              []byte
	}{
		"loops":              {1, 2_900, 3_200, loop},
		"ifs":                {1, 11_000, 12_500, ifs},
		"br_if":              {1, 11_000, 12_500, brIf},
		"br_table":           {1, 300, 500, table},
		"checks":             {1, 60_000, 80_000, calls},
		"ifs and locals":     {1_000, 2_500, 3_500, ifs},
		"ifs and many":       {9_000, 300, 450, ifs},
		"loops and locals":   {1_000, 250, 500, loop},
		"locals and no loop": {9_000, 9_000, 0, []byte{wasmtest.Nop}},
	} {
		if _, _, err := Rewrite(branchy(1, test.locals, test.few, test.code...), Options{Meter: true}); err != nil {
			t.Errorf("%s: %d times: %v", name, test.few, err)
		}
		if test.many == 0 {
			continue
		}
		_, _, err := Rewrite(branchy(1, test.locals, test.many, test.code...), Options{Meter: true})
		var e *Error
		if !errors.As(err, &e) || e.Kind != SlowToCompile || !strings.Contains(e.Message, "function 1 takes too long to compile") ||
			!strings.Contains(e.Message, "split it") {
			t.Errorf("%s: %d times: %v", name, test.many, err)
		}
	}
}

func TestFunctionsWithManyCheckpointsAreRefused(t *testing.T) {
	read := append(bytes.Repeat(wasmtest.Const(0), 4), wasmtest.Call, 0, wasmtest.Drop)
	for times, refused := range map[int]bool{2_400: false, 3_200: true} {
		m := readingCommand()
		m.Funcs[2].Body = bytes.Repeat(read, times)
		_, _, err := Rewrite(m.Bytes(), everything)
		var e *Error
		if errors.As(err, &e) != refused || refused && (e.Kind != SlowToCompile || !strings.Contains(e.Message, "too long to compile")) {
			t.Errorf("%d times: %v", times, err)
		}
		if _, _, err := Rewrite(m.Bytes(), Options{Meter: true}); err != nil {
			t.Errorf("%d times without checkpoints: %v", times, err)
		}
	}
}

func TestModulesThatTakeLongToCompileAreRefused(t *testing.T) {
	ifs := []byte{wasmtest.LocalGet, 0, ifOp, wasmtest.Empty, wasmtest.End}
	if _, _, err := Rewrite(branchy(3, 1, 8_000, ifs...), Options{Meter: true}); err != nil {
		t.Error(err)
	}
	_, _, err := Rewrite(branchy(9, 1, 8_000, ifs...), Options{Meter: true})
	var e *Error
	if !errors.As(err, &e) || e.Kind != SlowToCompile || !strings.Contains(e.Message, "s are allowed for code of 360038 bytes") {
		t.Error(err)
	}
	if _, _, err := Rewrite(branchy(9, 1, 8_000, ifs...), Options{Meter: true, AnyEffort: true}); err != nil {
		t.Errorf("with any effort allowed: %v", err)
	}
	// The same branches in small functions are allowed.
	if _, _, err := Rewrite(branchy(500, 1, 80, ifs...), Options{Meter: true}); err != nil {
		t.Error(err)
	}
}

func TestMeteredFunctionsMayBeTwiceTheLimit(t *testing.T) {
	m := wasmtest.Module{
		Types:   []wasmtest.FuncType{{}},
		Imports: []wasmtest.Import{{Module: "env", Name: "host"}},
		Funcs:   []wasmtest.Func{{}, {Body: bytes.Repeat(wasmtest.CallFunc(0), 500)}},
	}
	o := Options{Meter: true, MaxFunctionBytes: 1002}
	_, _, err := Rewrite(m.Bytes(), o)
	var e *Error
	if !errors.As(err, &e) || e.Kind != TooLarge || !strings.Contains(e.Message, "function 2 has ") || !strings.Contains(e.Message, "with its checks; at most 2004") {
		t.Error(err)
	}
	o.Meter = false
	if _, _, err := Rewrite(m.Bytes(), o); err != nil {
		t.Error(err)
	}
}

// The estimate does not overflow to a small number for hostile code. Otherwise such a module would
// seem quick to compile.
func TestEstimateDoesNotOverflow(t *testing.T) {
	for name, e := range map[string]effort{
		"merged":   {merged: 1e19, depth: 300_000},
		"loops":    {loops: 1e25},
		"branches": {branches: 1 << 33},
		"live":     {live: 1 << 60},
	} {
		if got := e.nanoseconds(); got != maxPerFunction {
			t.Errorf("%s: %d ns", name, got)
		}
	}
	const functions, bits = maxFunctions, 62
	if uint64(functions)*maxPerFunction >= 1<<bits {
		t.Error("the sum over all functions overflows")
	}
}
