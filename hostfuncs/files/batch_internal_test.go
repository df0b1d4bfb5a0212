package files

import (
	"context"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// TestFilesWithWrongSizesAreContained reads files that report wrong sizes, and files that change
// while they are read. Each file may write only to its own part of the buffer, and incomplete
// content is not returned.
func TestFilesWithWrongSizesAreContained(t *testing.T) {
	for name, tt := range map[string]struct {
		size    int64
		reads   []string // the data that each read returns; after the last, the file ends
		fails   error    // the error that follows the last read instead of the end of the file
		stop    int      // the call ends after this many reads; -1 means before the first
		want    error
		content string
	}{
		"as it says":               {size: 5, reads: []string{"hello"}, content: "hello"},
		"in pieces":                {size: 5, reads: []string{"he", "l", "lo"}, content: "hello"},
		"it shrank":                {size: 9, reads: []string{"hello"}, content: "hello"},
		"it grew by a byte":        {size: 4, reads: []string{"hello"}, want: ErrOverSize},
		"it grew by a lot":         {size: 1, reads: []string{strings.Repeat("x", 50)}, want: ErrOverSize},
		"empty by its size alone":  {size: 0, reads: []string{"hello"}, want: ErrOverSize},
		"a size below zero":        {size: -1, reads: []string{"hello"}, want: ErrOverSize},
		"the smallest size":        {size: -1 << 63, want: ErrOverSize},
		"the largest size":         {size: 1<<63 - 1, want: ErrOverSize},
		"larger than the room":     {size: 80, want: ErrNoRoom},
		"it fails":                 {size: 5, fails: ErrIO, want: ErrIO},
		"it fails halfway":         {size: 5, reads: []string{"he"}, fails: ErrIO, want: ErrIO},
		"the call ends before":     {size: 5, reads: []string{"hello"}, stop: -1, want: fs.ErrClosed},
		"the call ends in between": {size: 5, reads: []string{"he", "llo"}, stop: 1, want: fs.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.stop < 0 {
				cancel()
			}
			done := 0
			read := func(to []byte) (int, error) {
				if done == len(tt.reads) {
					if tt.fails != nil {
						return 0, tt.fails
					}
					return 0, io.EOF
				}
				n := copy(to, tt.reads[done])
				if done++; done == tt.stop {
					cancel()
				}
				return n, nil
			}
			room := []byte(strings.Repeat(".", 60))
			shared := &batchRoom{all: room}
			shared.take(10) // belongs to another file
			a := Answer{Size: tt.size}
			a.fill(ctx, 100, shared, read)
			if a.Err != tt.want || string(a.Content) != tt.content || a.Err == nil && a.Offset != 10 {
				t.Errorf("got %q at %d, %v, want %q, %v", a.Content, a.Offset, a.Err, tt.content, tt.want)
			}
			end := 10
			if tt.size > 0 && tt.size < 50 {
				end += int(tt.size) + 1
			} else if tt.size == 0 {
				end++
			}
			if string(room[:10]) != ".........." || strings.Trim(string(room[end:]), ".") != "" {
				t.Errorf("the room became %q", room)
			}
		})
	}
}
