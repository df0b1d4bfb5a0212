package runtime

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// A call of a plug-in that misuses the blocks that it shares with the host ends with the right
// reason.
func TestHostileExtismPluginsEnd(t *testing.T) {
	const page = 1 << 16
	offsets := map[string]int64{"far": page, "wrapping": -4, "beyond 4 GiB": 1 << 32, "a multiple of 4 GiB": 1<<32 + smallestBlock, "the last": math.MinInt64}
	accesses := map[string]func(at []byte) []byte{
		"load_u8":           func(at []byte) []byte { return dropped(x("load_u8", at)) },
		"load_u64":          func(at []byte) []byte { return dropped(x("load_u64", at)) },
		"store_u8":          func(at []byte) []byte { return x("store_u8", at, zero) },
		"store_u64":         func(at []byte) []byte { return x("store_u64", at, long(0)) },
		"input_load_u8":     func(at []byte) []byte { return dropped(x("input_load_u8", at)) },
		"input_load_u64":    func(at []byte) []byte { return dropped(x("input_load_u64", at)) },
		"output_set":        func(at []byte) []byte { return x("output_set", at, long(1)) },
		"output of nothing": func(at []byte) []byte { return x("output_set", wasmtest.Code(at, long(1), []byte{i64Add}), long(0)) },
	}
	bodies := map[string][]byte{
		"a load that leaves the memory by a byte":  dropped(x("load_u64", long(page-7))),
		"a store that leaves the memory by a byte": x("store_u64", long(page-7), long(0)),
		"the byte after the input":                 dropped(x("input_load_u8", long(5))),
		"output that leaves the memory by a byte":  x("output_set", long(page-1), long(2)),
	}
	for where, offset := range offsets {
		for name, access := range accesses {
			bodies[name+" "+where] = access(long(offset))
		}
	}
	check := func(name string, body []byte, want Reason, limit Limit) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := callPlugin(t, plugin(body, zero), wants{call: Call{Config: map[string]string{"hello": "x"}}})
			if got := reasonOf(t, err); got != want {
				t.Fatalf("got %q (%v), want %q", got, err, want)
			}
			if err != nil && err.(*Error).Limit != limit {
				t.Errorf("met %q, want %q", err.(*Error).Limit, limit)
			}
		})
	}
	for name, body := range bodies {
		check(name, body, BadGuest, "")
	}
	check("the last word of the memory", dropped(x("load_u64", long(page-8))), "", "")
	check("the last byte of the memory", x("store_u8", long(page-1), zero), "", "")
	check("nothing at the end of the memory", x("output_set", long(page), long(0)), "", "")
	check("no bytes", x("free", x("alloc", long(0))), "", "")
	check("a block of all numbers", dropped(x("alloc", long(-1))), ResourceExhausted, LimitMemory)
	check("a block of half of them", dropped(x("alloc", long(math.MinInt64))), ResourceExhausted, LimitMemory)
	check("a block of 4 GiB", dropped(x("alloc", long(1<<32))), ResourceExhausted, LimitMemory)
	check("small blocks without end", forever(dropped(x("alloc", long(1)))), ResourceExhausted, LimitMemory)
	check("large blocks without end", forever(dropped(x("alloc", long(3*page)))), ResourceExhausted, LimitMemory)
	check("logging without end", forever(x("log_error", x("input_offset"))), ResourceExhausted, LimitFuel)
	check("values without end", forever(dropped(x("config_get", x("input_offset")))), ResourceExhausted, LimitMemory)
	check("an output of 4 GiB", x("output_set", long(0), long(1<<32)), ResourceExhausted, LimitOutput)
	check("an output of all numbers", x("output_set", long(1), long(-1)), ResourceExhausted, LimitOutput)
	check("freeing what is none", wasmtest.Code(x("free", long(0)), x("free", long(-1)), x("free", long(smallestBlock+1))), "", "")
	check("blocks that are given back", wasmtest.Code(
		put(localB, long(20_000)), []byte{wasmtest.Loop, wasmtest.Empty},
		x("free", x("alloc", take(localB))), put(localB, take(localB), long(1), []byte{i64Sub}), take(localB), []byte{i64Eqz, i32Eqz, wasmtest.BrIf, 0, wasmtest.End},
	), "", "")
}

// Opcodes of arithmetic on offsets.
const (
	i64Eqz = 0x50
	i64Add = 0x7c
	i64Sub = 0x7d
)

// hostileNumbers are the offsets and lengths in fuzzed plug-ins.
var hostileNumbers = []int64{
	0, 1, 5, 7, 8, smallestBlock, smallestBlock + 1, 2 * smallestBlock, 1<<16 - 8, 1<<16 - 1, 1 << 16, 1 << 20, 1<<26 - 1, 1 << 26,
	1<<31 - 1, 1<<32 - 1, 1 << 32, 1<<32 + smallestBlock, -1, -8, math.MaxInt64, math.MinInt64,
}

// fuzzedBody returns code for the calls that the bytes describe: a function and, for each
// parameter, a number or the result of an earlier call.
func fuzzedBody(ops []byte) (body []byte) {
	next := func() (b byte) {
		if len(ops) > 0 {
			b, ops = ops[0], ops[1:]
		}
		return b
	}
	for n := 0; len(ops) > 0 && n < 64; n++ {
		imp := extismImports[int(next())%len(extismImports)]
		for p := range imp.params {
			switch b := next(); {
			case b >= 0xc0:
				body = append(body, take(localA)...)
			case b >= 0x80:
				body = append(body, take(localB)...)
			default:
				body = append(body, long(hostileNumbers[int(b)%len(hostileNumbers)])...)
			}
			if imp.narrowParam && p == imp.params-1 {
				body = append(body, i32WrapI64)
			}
		}
		body = append(body, x(imp.name)...)
		switch {
		case imp.results > 0 && imp.narrowResult:
			body = append(body, wasmtest.Drop)
		case imp.results > 0:
			body = append(body, localSet, next()&1)
		}
	}
	return body
}

const i32WrapI64 = 0xa7

// FuzzExtismKernel lets a plug-in use its blocks in any order. Its calls must all end in the same
// way, with an expected reason, and leave nothing behind.
func FuzzExtismKernel(f *testing.F) {
	at := func(name string) byte {
		return byte(slices.IndexFunc(extismImports, func(imp extismImport) bool { return imp.name == name }))
	}
	f.Add([]byte{at("alloc"), 11, 0, at("free"), 0xc0, at("free"), 0xc0, at("alloc"), 11, 1, at("output_set"), 0x80, 11})
	f.Add([]byte{at("input_offset"), 0, at("var_set"), 0xc0, 0xc0, at("var_get"), 0xc0, 1, at("output_set"), 0x80, 2})
	f.Add([]byte{at("input_offset"), 1, at("http_request"), 0x80, 0x80, 0})
	f.Add(binary.LittleEndian.AppendUint64(nil, 0x1234_5678_9abc_def0))
	f.Fuzz(func(t *testing.T, ops []byte) {
		_, err := callPlugin(t, plugin(fuzzedBody(ops), zero), wants{call: Call{Config: map[string]string{"hello": "x"}}})
		switch reasonOf(t, err) {
		case "", Failed, BadGuest, ResourceExhausted:
		default:
			t.Errorf("%v", err)
		}
	})
}
