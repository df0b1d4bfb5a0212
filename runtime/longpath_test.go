package runtime

import (
	"encoding/binary"
	goruntime "runtime"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// A path as long as a guest's memory is refused before the engine copies and cleans it.
func TestLongPathsAreRefusedCheaply(t *testing.T) {
	const pages, tooLong = 200, 37
	length := wasmtest.Const(pages<<16 - 4096)
	open := wasmtest.Code(wasmtest.Const(3), wasmtest.Const(0), wasmtest.Const(2048), length, wasmtest.Const(0),
		[]byte{wasmtest.I64Const, 2, wasmtest.I64Const, 0}, wasmtest.Const(0), wasmtest.Const(atScratch), wasmtest.CallFunc(wasiPathOpen))
	m := load(t, newRuntime(t, Options{}), parts{
		memory: []uint32{pages},
		start: wasmtest.Code(
			// The name consists of letters, because a NUL would end it.
			wasmtest.Const(2048), wasmtest.Const('a'), length, []byte{0xfc, 0x0b, 0},
			stores(atState, open), writes(1, atState, wasmtest.Const(4))),
	}.bytes())
	askOK(t, m, wants{})
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	out := askOK(t, m, wants{})
	goruntime.ReadMemStats(&after)
	if errno := binary.LittleEndian.Uint32(out.Output); errno != tooLong {
		t.Errorf("errno %d, want %d", errno, tooLong)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
		t.Errorf("the host allocated %d bytes", took)
	}
}
