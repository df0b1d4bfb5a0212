package ledger

import (
	"runtime"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// The receipt of a large result has a digest that is computed without encoding the result.
func TestReceiptOfALargeResult(t *testing.T) {
	digest := func(size int, last string) (digest string, memory uint64) {
		result := tool.Result{Content: []tool.Content{tool.TextContent(strings.Repeat("\n", size) + last)}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := (&Entry{}).receipt(result, nil)
		runtime.ReadMemStats(&after)
		return r.Result, after.TotalAlloc - before.TotalAlloc
	}
	a, memory := digest(2*maxDigestJSON, "a")
	if again, _ := digest(2*maxDigestJSON, "a"); len(a) != 64 || again != a || memory > 3*maxDigestJSON {
		t.Errorf("got %q and %q with %d bytes", a, again, memory)
	}
	if b, _ := digest(2*maxDigestJSON, "b"); b == a {
		t.Error("two different results have the same digest")
	}
}
