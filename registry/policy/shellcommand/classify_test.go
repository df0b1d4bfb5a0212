package shellcommand_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
)

// classified is a script and its expected classification.
type classified struct {
	effect policy.Effect
	script string
}

// cases reads testdata/cases.txt.
func cases(t testing.TB) []classified {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "cases.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var list []classified
	for line := range strings.Lines(string(text)) {
		word, script, found := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !found || word == "#" {
			continue
		}
		var c classified
		if err := c.effect.UnmarshalText([]byte(word)); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		c.script = strings.ReplaceAll(script, "⏎", "\n")
		list = append(list, c)
	}
	return list
}

func TestClassify(t *testing.T) {
	t.Parallel()
	counts := make(map[policy.Effect]int)
	for _, c := range cases(t) {
		counts[c.effect]++
		got := shellcommand.Classify(c.script, shellcommand.Settings{})
		if got.Effect != c.effect || got.ReadOnly != (c.effect == policy.Allow) {
			t.Errorf("%q: %v (read only: %v), want %v: %s", c.script, got.Effect, got.ReadOnly, c.effect, got.Reason)
		}
		if got.Effect != policy.Allow && !slices.ContainsFunc(got.Parts, func(p shellcommand.Part) bool {
			return p.Effect == got.Effect && strings.Contains(got.Reason, p.Text)
		}) {
			t.Errorf("%q: the reason %q names no part at fault", c.script, got.Reason)
		}
	}
	for _, effect := range []policy.Effect{policy.Allow, policy.Ask, policy.Deny} {
		if counts[effect] < 40 {
			t.Errorf("only %d cases of %v", counts[effect], effect)
		}
	}
}
