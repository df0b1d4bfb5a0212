package shellcommand_test

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
)

// A script that a real sed refuses in sandbox mode, because it writes or runs something, is never
// classified as read-only.
func TestScriptsOfSedAgainstSed(t *testing.T) {
	t.Parallel()
	if err := exec.Command("sed", "--sandbox", "-n", "p", "/dev/null").Run(); err != nil {
		testlevel.MissingProgram(t, "GNU sed")
	}
	pieces := []string{
		"s", "/", "[", "]", "^", ";", "a", "b", "w", " out", "#", `\`, "\n", "{", "}", "p", "y", "e", "1", ",", "!", "[:alpha:]", "s/a/b/",
		"/x/", ":", "g", "W", "|", "s|", "i", "c", "t", "n", "$", "M", "q", "l", " ",
	}
	random := rand.New(rand.NewPCG(1, 2))
	asked := 0
	for tries := 0; asked < 200 && tries < 100_000; tries++ {
		var script strings.Builder
		for range 3 + random.IntN(12) {
			script.WriteString(pieces[random.IntN(len(pieces))])
		}
		quoted := singleQuoted(script.String())
		// Only compare scripts that could write or run something.
		if !strings.ContainsAny(quoted, "weW") || effectOf("sed -n "+quoted+" a") != policy.Allow {
			continue
		}
		asked++
		out, err := exec.Command("sed", "--sandbox", "-n", script.String(), "/dev/null").CombinedOutput()
		if err != nil && strings.Contains(string(out), "disabled in sandbox") {
			t.Errorf("%q is allowed, and sed says: %s", script.String(), out)
		}
	}
	if asked < 200 {
		t.Errorf("sed was asked about %d scripts only", asked)
	}
	if got := shellcommand.Classify("sed -n 'w out' a", shellcommand.Settings{}); got.Effect != policy.Ask {
		t.Errorf("what writes is %v", got.Effect)
	}
}
