package bash

import "testing"

// An escaped line end disappears from regular expressions too, as in gawk. The system's awk may be
// mawk, which differs.
func TestAwkJoinsRegexps(t *testing.T) {
	for text, want := range map[string]string{
		"awk 'BEGIN {print \"ab\" ~ /^a\\\nb$/}'":        "1\n",
		"awk 'BEGIN {print \"ab\" ~ /^\\\na\\\n\\\nb/}'": "1\n",
		"awk 'BEGIN {print \"a\\\\b\" ~ /a\\\\\\\nb/}'":  "1\n",
		"awk 'BEGIN {print \"ab\" ~ /^a\\\r\nb$/}'":      "1\n",
	} {
		if got, stderr := ours(t, t.TempDir(), text); got.stdout != want {
			t.Errorf("%s\ngot %q, %q; want %q", text, got.stdout, stderr, want)
		}
	}
}
