package array

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// BenchmarkRun measures a call with 90,000 numbers, from its arguments to its output.
func BenchmarkRun(b *testing.B) {
	var items strings.Builder
	for i := range 90_000 {
		fmt.Fprintf(&items, ",%d.%d", i*7919%90_000, i%100)
	}
	for _, operation := range []string{"length", "sort", "unique", "sum"} {
		input := fmt.Appendf(nil, `{"operation": %q, "items": [%s]}`, operation, items.String()[1:])
		b.Run(operation, func(b *testing.B) {
			for b.Loop() {
				var args Args
				if err := json.Unmarshal(input, &args); err != nil {
					b.Fatal(err)
				}
				if err := Run(args, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
