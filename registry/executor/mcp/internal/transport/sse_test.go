package transport

import (
	"strings"
	"testing"
)

// For any stream of events, the reader neither fails nor returns more bytes than it read.
func FuzzEvents(f *testing.F) {
	f.Add("data: {}\n\n")
	f.Add("data:a\r\ndata: b\r\n\r\n: c\nid: 1\n\ndata")
	f.Fuzz(func(t *testing.T, stream string) {
		size := 0
		err := events(strings.NewReader(stream), func(data []byte) error {
			size += len(data)
			return nil
		})
		if err != nil || size > len(stream) {
			t.Errorf("%d bytes of %d, %v", size, len(stream), err)
		}
	})
}
