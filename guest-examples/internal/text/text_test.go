package text

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestNewReader(t *testing.T) {
	tests := []struct {
		name, data, want string
		binary           bool
	}{
		{name: "empty"},
		{name: "plain", data: "a\nb", want: "a\nb"},
		{name: "UTF-8 mark", data: "\xef\xbb\xbfa", want: "a"},
		{name: "UTF-16 LE", data: "\xff\xfea\x00\xfc\x00\n\x00", want: "aü\n"},
		{name: "UTF-16 BE with a surrogate pair", data: "\xfe\xff\xd8\x3d\xde\x00\x00!", want: "😀!"},
		{name: "UTF-16 cut within a character", data: "\xff\xfea\x00b", want: "a\uFFFD"},
		{name: "Latin-1", data: "caf\xe9", want: "caf\xe9"},
		{name: "colours", data: "\x1b[1mbold\x1b[0m", want: "\x1b[1mbold\x1b[0m"},
		{name: "NUL", data: "abc\x00", binary: true},
		{name: "NUL beyond the start", data: strings.Repeat("a", SniffLen) + "\x00", want: strings.Repeat("a", SniffLen) + "\x00"},
		{name: "control characters", data: "\x01\x02\x03\x04abcdef", binary: true},
		{name: "few control characters", data: "\x01\x02\x03abcdefg", want: "\x01\x02\x03abcdefg"},
		{name: "UTF-16 without a mark", data: "a\x00b\x00", binary: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			// Read one byte at a time: the decision must not depend on the size of a read.
			src := bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(test.data)), SniffLen)
			r, err := NewReader(src)
			if test.binary {
				if !errors.Is(err, ErrBinary) {
					t.Fatalf("got %v, want ErrBinary", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(r); err != nil || string(got) != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestNewReader_failingSource(t *testing.T) {
	failure := errors.New("disk on fire")
	if _, err := NewReader(bufio.NewReaderSize(iotest.ErrReader(failure), SniffLen)); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
}

func TestClip(t *testing.T) {
	tests := []struct {
		line  string
		limit int
		want  string
		cut   bool
	}{
		{"abc", 3, "abc", false},
		{"abcd", 3, "abc", true},
		{"äöü", 3, "äöü", false},
		{"äöüx", 3, "äöü", true},
		{"a\xff\xfeb", 2, "a\xff", true},
		{"", 0, "", false},
		{"ae\u0301", 2, "a", true},
		{"ae\u0301", 3, "ae\u0301", false},
		{"ae\u0301\u0302x", 3, "a", true},
		{"हिन्दी", 1, "", true},
		{"हिन्दी", 2, "हि", true},
		{"a" + strings.Repeat("\u0301", 20), 15, "a" + strings.Repeat("\u0301", 14), true},
		{strings.Repeat("\u0301", 20), 3, "", true},
	}
	for _, test := range tests {
		got, cut := Clip([]byte(test.line), test.limit)
		if string(got) != test.want || cut != test.cut {
			t.Errorf("%q: got %q, %v; want %q, %v", test.line, got, cut, test.want, test.cut)
		}
	}
}

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	r := NewLineReader(strings.NewReader("a\nb\r\n\n"+long+"\r\nabcdef\r\nlast"), 5)
	for _, want := range []struct {
		start  string
		length int64
	}{{"a", 1}, {"b", 1}, {"", 0}, {"xxxxx", 200 << 10}, {"abcde", 6}, {"last", 4}} {
		start, length, err := r.Next()
		// The length of a line that is not kept to its end includes the \r of its line end.
		if err != nil || string(start) != want.start || length != want.length && length != want.length+1 {
			t.Fatalf("got %q, %d, %v; want %q, %d", start, length, err, want.start, want.length)
		}
	}
	for range 2 {
		if _, _, err := r.Next(); err != io.EOF {
			t.Fatalf("got %v at the end, want io.EOF", err)
		}
	}
}

func TestLineReader_count(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "a": 0, "a\n": 0, "a\nb": 1, "a\nb\n": 1, "a\n\n\n": 2} {
		r := NewLineReader(strings.NewReader(text), 10)
		r.Next()
		got, more, err := r.Count(1 << 20)
		if got != want || more || err != nil {
			t.Errorf("%q: got %d, %v, %v; want %d", text, got, more, err, want)
		}
	}
	r := NewLineReader(bytes.NewReader(bytes.Repeat([]byte("\n"), 1<<20)), 10)
	if got, more, err := r.Count(100 << 10); !more || err != nil || got < 100<<10 || got > 300<<10 {
		t.Errorf("got %d, %v, %v; want a bound of about 100 K", got, more, err)
	}
}

func TestPosition(t *testing.T) {
	for offset, want := range map[int]string{
		-1: "line 1, column 1",
		0:  "line 1, column 1",
		2:  "line 1, column 2", // ü has two bytes
		3:  "line 1, column 3",
		4:  "line 2, column 1",
		5:  "line 2, column 2",
		99: "line 2, column 2",
	} {
		if got := Position("üa\nb", offset); got != want {
			t.Errorf("%d: got %s, want %s", offset, got, want)
		}
	}
}
