package abi

import (
	goruntime "runtime"
	"strings"
	"testing"
)

// Values of equal headers are joined in time linear in their number.
func TestExtismHeadersAreJoined(t *testing.T) {
	const many = 20_000
	head := `{"status":200,"headers":[["A","1"],["b","2"]` + strings.Repeat(`,["a","x"]`, many) + `]}`
	k := new(kernel)
	joined := func() {
		if err := k.keepHead([]byte(head)); err != nil {
			t.Fatal(err)
		}
	}
	joined()
	if want := `{"a":"1` + strings.Repeat(",x", many) + `","b":"2"}`; k.status != 200 || string(k.headers) != want {
		t.Errorf("got %d, %.100s", k.status, k.headers)
	}
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	joined()
	goruntime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
}
