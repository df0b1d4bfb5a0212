package jsonvalue

import (
	"fmt"
	"strings"
	"testing"
)

// samples returns values of the size that calls of array or object may have.
func samples() map[string]string {
	var numbers, records strings.Builder
	for i := range 90_000 {
		fmt.Fprintf(&numbers, "%d.%d,", i*7919%90_000, i%100)
	}
	for i := range 18_000 {
		fmt.Fprintf(&records, `{"id": %d, "name": "user %d", "tag": "a\nb", "on": true},`, i*7919%18_000, i)
	}
	return map[string]string{
		"numbers": "[" + strings.TrimSuffix(numbers.String(), ",") + "]",
		"records": "[" + strings.TrimSuffix(records.String(), ",") + "]",
	}
}

func BenchmarkParse(b *testing.B) {
	for name, text := range samples() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse([]byte(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
