package runtime

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
)

// sizedCaller is a command that calls a host function with a value for each parameter, and writes
// the result.
func sizedCaller(t *testing.T, module, function string, pages uint32, value func(at int) int32) []byte {
	t.Helper()
	known, err := abi.HostFunctions()
	if err != nil {
		t.Fatal(err)
	}
	list := func(types string) (out []byte) {
		for _, name := range strings.FieldsFunc(types, func(r rune) bool { return strings.ContainsRune("(), ", r) }) {
			out = append(out, map[string]byte{"i32": wasmtest.I32, "i64": wasmtest.I64, "f64": api.ValueTypeF64}[name])
		}
		return out
	}
	params, results, _ := strings.Cut(known[module+"."+function], " -> ")
	f := wasmtest.FuncType{Params: list(params), Results: list(results)}
	var call []byte
	for at, kind := range f.Params {
		switch kind {
		case wasmtest.I32:
			call = append(call, wasmtest.Const(value(at))...)
		case wasmtest.I64:
			call = append(call, wasmtest.S64([]byte{wasmtest.I64Const}, int64(value(at)))...)
		default:
			call = append(call, 0x44, 0, 0, 0, 0, 0, 0, 0, 0) // f64.const
		}
	}
	call = append(call, wasmtest.CallFunc(importsOfParts)...)
	if len(f.Results) == 0 {
		call = append(call, wasmtest.Const(0)...)
	}
	p := parts{
		memory: []uint32{pages},
		start:  wasmtest.Code(stores(atState, call), writes(1, atState, wasmtest.Const(4))),
	}
	p.change = func(m *wasmtest.Module) {
		m.Types = append(m.Types, f)
		m.Imports = append(m.Imports, wasmtest.Import{Module: module, Name: function, Type: uint32(len(m.Types) - 1)})
		m.Funcs[0].Body = nil // unused here, and the added import would shift the index in its call
		for i := range m.Exports {
			if m.Exports[i].Kind == 0 {
				m.Exports[i].Index++
			}
		}
	}
	return p.bytes()
}

// Vectored calls with more pieces than POSIX allows, and polls of too many events, are refused
// before any piece is read. The engine computes 0 when it multiplies the count 2^29 by the size of
// a piece.
func TestCountsAreLimited(t *testing.T) {
	r := newRuntime(t, Options{})
	for _, function := range []string{"fd_read", "fd_pread", "fd_write", "fd_pwrite", "sock_recv", "sock_send", "poll_oneoff"} {
		for _, tt := range []struct {
			count int32
			inval bool
		}{{1 << 29, true}, {-1, true}, {maxVector + 1, true}, {1, false}} {
			wasm := sizedCaller(t, wasiModule, function, 4, func(at int) int32 {
				switch at {
				case 0:
					return 1
				case 2:
					return tt.count
				}
				return 8192
			})
			out := askOK(t, load(t, r, wasm), wants{})
			if errno := binary.LittleEndian.Uint32(out.Output); (errno == wasiInval) != tt.inval {
				t.Errorf("%s with %d: errno %d", function, tt.count, errno)
			}
		}
	}
}

// Work that a guest makes the host do costs the guest fuel.
func TestSizesCostFuel(t *testing.T) {
	r := newRuntime(t, Options{})
	for _, tt := range []struct {
		module, function string
		at               int
		size             int32
		least            uint64
	}{
		{wasiModule, "fd_read", 2, maxVector, maxVector << 4},
		{wasiModule, "fd_write", 2, maxVector, maxVector << 4},
		{wasiModule, "random_get", 1, 64 << 10, 4 << 10},
		{reactorModule, "sha256", 1, 64 << 10, 4 << 10},
		{reactorModule, "kv_get", 1, 64 << 10, 4 << 10},
		{reactorModule, "output_write", 1, 64 << 10, 4 << 10},
	} {
		wasm := sizedCaller(t, tt.module, tt.function, 4, func(at int) int32 {
			if at == tt.at {
				return tt.size
			}
			return 8192 * int32(min(at, 1))
		})
		m := load(t, r, wasm)
		out, _ := ask(t, m, wants{})
		if out.Fuel < tt.least {
			t.Errorf("%s: %d units of fuel, want at least %d", tt.function, out.Fuel, tt.least)
		}
		w := wants{}
		w.call.Limits.Fuel = tt.least
		if _, err := ask(t, m, w); reasonOf(t, err) != ResourceExhausted {
			t.Errorf("%s with %d units of fuel ends with %v", tt.function, tt.least, err)
		}
	}
}

// A host function that gets all of a guest's memory allocates no more than it may send or write at
// once.
func TestHostAllocatesLittleForLongSizes(t *testing.T) {
	const pages, bytes = 400, 400 << 16
	text, err := os.ReadFile("../testdata/abi/v1.json")
	if err != nil {
		t.Fatal(err)
	}
	var functions map[string]string
	if err := json.Unmarshal(text, &functions); err != nil {
		t.Fatal(err)
	}
	known, err := abi.HostFunctions()
	if err != nil {
		t.Fatal(err)
	}
	for full := range known {
		if strings.HasPrefix(full, wasiModule+".") {
			functions[full] = ""
		}
	}
	r := newRuntime(t, Options{})
	for full := range functions {
		module, function, _ := strings.Cut(full, ".")
		sizes := abi.Sizes(module, function)
		if function == "output_write" || len(sizes) == 0 {
			continue // its bytes are the output
		}
		t.Run(full, func(t *testing.T) {
			m := load(t, r, sizedCaller(t, module, function, pages, func(at int) int32 {
				if slices.Contains(sizes, at) {
					return bytes
				}
				return 0
			}))
			w := wants{}
			w.call.Limits.Memory = 64 << 20
			_, first := ask(t, m, w)
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			_, err := ask(t, m, w)
			goruntime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
				t.Errorf("the host allocated %d bytes (%v, %v)", took, first, err)
			}
			var own *Error
			if err != nil && !errors.As(err, &own) {
				t.Error(err)
			}
		})
	}
}
