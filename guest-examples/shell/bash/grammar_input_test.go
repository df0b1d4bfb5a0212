package bash

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestGeneratedInputs compares commands that read from the same file.
func TestGeneratedInputs(t *testing.T) { compareGenerated(t, 100, 5000, inputs) }

func inputs(r *rand.Rand) string {
	commands := []string{
		"read x; echo $x", "read -r x y; echo $x/$y", "read -r -n 3 x; echo $x", "read x", "read -u 3 x; echo $x", "head -n 1", "head -n 2 g",
		"mapfile -t -n 2 m; echo ${m[@]}", "( read x; echo $x )", "n=$((n+1))", ":", "[ -s f ]", "echo more >> f", "read -d b x; echo $x",
		"while read x; do n=$((n+1)); [ $n -gt 3 ] && break; done", "x=$(head -n 1); echo $x", "read x < g", "cat", "true", "printf -v x %s y",
	}
	var script strings.Builder
	fmt.Fprintf(&script, "for i in {1..%d}; do echo \"$i a\\\\b  c$i\"; done > f; cp f g; n=0\n{ exec 3<&0\n", 5+r.IntN(40))
	for range 1 + r.IntN(15) {
		fmt.Fprintln(&script, commands[r.IntN(len(commands))])
	}
	script.WriteString("} < f; echo $n $x\n")
	return script.String()
}
