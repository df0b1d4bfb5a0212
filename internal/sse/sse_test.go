package sse_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/wasmtool/wasmtool/internal/sse"
)

func read(stream string, maxBytes int) (events []string, err error) {
	err = sse.Read(iotest.OneByteReader(strings.NewReader(stream)), maxBytes, func(data []byte) error {
		events = append(events, string(data))
		return nil
	})
	return events, err
}

func TestRead(t *testing.T) {
	t.Parallel()
	for stream, want := range map[string][]string{
		"data: {}\n\n": {"{}"},
		"data:a\r\ndata: b\r\n\r\n: c\nid: 1\n\nx": {"a\nb"},
		"event: e\ndata: 1\n\ndata:  2\n\ndata: 3": {"1", " 2"},
		"\ufeffdata: 1\n\n\ufeffdata: 2\n\n":       {"1"},
		"data\n\ndata:\n\n":                        nil,
	} {
		got, err := read(stream, 10)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v, want %q", stream, got, err, want)
		}
	}
}

func TestLongEventIsRefused(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{
		"data: 12345678901\n\n", "data: 123456\ndata: 123456\n\n", ": " + strings.Repeat("x", 20) + "\n",
	} {
		if _, err := read(stream, 10); !errors.Is(err, sse.ErrTooLong) {
			t.Errorf("%q: got %v", stream, err)
		}
	}
}

// A server may send a long line in tiny pieces. Searching the line again after each piece would
// take hours.
func TestLongLineInSingleBytesIsCheap(t *testing.T) {
	t.Parallel()
	const size = 4 << 20
	events, err := read("data: "+strings.Repeat("x", size)+"\n\n", size)
	if err != nil || len(events) != 1 || len(events[0]) != size {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// For any stream of events, the reader neither fails nor returns more bytes than it read.
func FuzzRead(f *testing.F) {
	f.Add("data: {}\n\n")
	f.Add("data:a\r\ndata: b\r\n\r\n: c\nid: 1\n\ndata")
	f.Fuzz(func(t *testing.T, stream string) {
		events, err := read(stream, len(stream)+1)
		if size := len(strings.Join(events, "")); err != nil || size > len(stream) {
			t.Errorf("%d bytes of %d, %v", size, len(stream), err)
		}
	})
}
