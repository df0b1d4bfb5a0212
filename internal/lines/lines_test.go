package lines_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/wasmtool/wasmtool/internal/lines"
)

// Lines are returned whole, without line ends. Only lines that are too long are skipped.
func TestNext(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	for in, want := range map[string][]string{
		"":                             nil,
		"a\nb\r\n\n  \nc":              {"a", "b", "c"},
		"\xef\xbb\xbfa\n\xef\xbb\xbfb": {"a", "\xef\xbb\xbfb"},
		"a\n" + long + "x\nb\n":        {"a", "too long", "b"},
		long + "\n" + long + "xx":      {long, "too long"},
	} {
		for _, read := range []io.Reader{strings.NewReader(in), iotest.HalfReader(strings.NewReader(in))} {
			var got []string
			r := lines.New(read, len(long))
			for {
				line, err := r.Next()
				if errors.Is(err, lines.ErrTooLong) {
					line, err = []byte("too long"), nil
				}
				if err != nil {
					if !errors.Is(err, io.EOF) {
						t.Error(err)
					}
					break
				}
				got = append(got, string(line))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%.20q: got %.20q, want %.20q", in, got, want)
			}
		}
	}
}
