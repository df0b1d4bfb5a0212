package shellcommand_test

import (
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
)

func BenchmarkClassify(b *testing.B) {
	for name, script := range map[string]string{
		"short":  "git log --oneline | head -5",
		"nested": `timeout 5 env A=1 sh -c 'for f in *.go; do grep -n "$x" "$f" | sort -u; done'`,
		"long":   strings.Repeat("grep -n x a | sort\n", 400),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				shellcommand.Classify(script, shellcommand.Settings{})
			}
		})
	}
}
