package bash

import (
	"strings"
	"testing"
)

// The time for a brace expansion is proportional to the number of its words times the depth of its
// braces, so the depth is limited.
func TestManyBraces(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("{a,", n) + strings.Repeat("}", n) }
	for n, want := range map[int]string{500: "500\n", 501: "", 2000: ""} {
		got, stderr := ours(t, t.TempDir(), "set -- "+nested(n)+"; echo $#")
		if got.stdout != want || (want == "") != strings.Contains(stderr, "a word has more than 500 braces") {
			t.Errorf("%d levels: %q, %q", n, got.stdout, stderr)
		}
	}
}
