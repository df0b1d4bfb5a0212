package shellcommand_test

import (
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
)

// A script that was not checked completely does not run.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	nested := "ls"
	for range 12 {
		nested = "eval " + singleQuoted(nested)
	}
	for name, script := range map[string]string{
		"long":                strings.Repeat("ls;", shellcommand.MaxScriptBytes),
		"many parts":          strings.Repeat("ls;", 2000),
		"subshells":           strings.Repeat("(", 50_000) + "ls" + strings.Repeat(")", 50_000),
		"substitutions":       strings.Repeat("$(", 50_000),
		"braces":              strings.Repeat("{ ", 50_000) + "ls" + strings.Repeat(";}", 50_000),
		"arithmetic":          "echo $((" + strings.Repeat("(", 50_000) + "1" + strings.Repeat(")", 50_000) + "))",
		"scripts in scripts":  strings.Repeat("eval ", 20) + "ls",
		"quoted in quotes":    nested,
		"wrappers":            strings.Repeat("env ", 20) + "ls",
		"a part at the end":   strings.Repeat("ls;", 1000) + "sudo ls",
		"expansions in words": strings.Repeat("${x:-", 50_000),
	} {
		if got := shellcommand.Classify(script, shellcommand.Settings{}); got.Effect != policy.Deny || !strings.Contains(got.Reason, "make it shorter") {
			t.Errorf("%s: %v: %.300s", name, got.Effect, got.Reason)
		}
	}
	for name, script := range map[string]string{
		"ifs":       strings.Repeat("if ls; then ", 20_000) + "ls" + strings.Repeat("; fi", 20_000),
		"pipes":     strings.Repeat("ls|", 20_000) + "ls",
		"negations": strings.Repeat("! ", 50_000) + "ls",
	} {
		if got := shellcommand.Classify(script, shellcommand.Settings{}); got.Effect == policy.Allow {
			t.Errorf("%s: %v: %.300s", name, got.Effect, got.Reason)
		}
	}
}
