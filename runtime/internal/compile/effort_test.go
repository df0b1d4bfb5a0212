package compile

import (
	goruntime "runtime"
	"testing"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

func TestLargeFunctionsAreNotCompiledConcurrently(t *testing.T) {
	all := goruntime.GOMAXPROCS(0)
	for largest, want := range map[uint64]int{0: all, maxBytesAtOnce / 2: min(all, 2), maxBytesAtOnce: 1, 1 << 50: 1} {
		if got := workers(rewrite.Effort{Largest: largest}); got != want {
			t.Errorf("%d bytes: %d at once, want %d", largest, got, want)
		}
	}
}
