package runtime

import (
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// Even if calls of one module request all memory, calls of another module get some.
func TestModuleGetsAtMostHalfOfMemory(t *testing.T) {
	r := untended(t, Options{MaxMemory: 4 * page, MaxTotalMemory: 32 * page, MaxIdleBytes: -1})
	greedy := load(t, r, parts{memory: []uint32{1, 100}, start: wasmtest.Code(grows(3))}.bytes())
	other := load(t, r, parts{memory: []uint32{1}, start: wasmtest.Code(grows(0))}.bytes())
	if !greedy.c.pool.Account(16*page) || greedy.c.pool.Account(page) {
		t.Fatalf("a module can have more than half: %d bytes", greedy.c.pool.Usage().Memory)
	}
	if _, err := ask(t, greedy, wants{}); reasonOf(t, err) != ResourceExhausted {
		t.Errorf("a call beyond the share: %v", err)
	}
	askOK(t, other, wants{})
	greedy.c.pool.Account(-16 * page)
	askOK(t, greedy, wants{})
	if got := greedy.c.pool.Usage().Memory + other.c.pool.Usage().Memory + r.pools.Usage().Memory; got != 0 {
		t.Errorf("%d bytes are counted in the end", got)
	}
}
