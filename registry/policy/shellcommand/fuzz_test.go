package shellcommand_test

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
)

// effectOf returns the classification of a script.
func effectOf(script string) policy.Effect {
	return shellcommand.Classify(script, shellcommand.Settings{}).Effect
}

// singleQuoted returns a string as one word of the shell.
func singleQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// A command that is appended to a script is always classified, and wrapping a script never makes
// its classification less strict.
func FuzzClassify(f *testing.F) {
	for _, c := range cases(f) {
		f.Add(c.script)
	}
	f.Fuzz(func(t *testing.T, script string) {
		if len(script) > 2000 {
			return
		}
		effect := effectOf(script)
		if strings.Contains(script, "\x00") { // shells differ in how they treat NUL
			return
		}
		// A script that does not parse is not allowed, and no command can be appended to it.
		if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), ""); err != nil {
			if effect == policy.Allow {
				t.Fatalf("%q cannot be read, and is allowed", script)
			}
			return
		}
		for _, more := range []string{"\nrm -rf x", "; rm -rf x", " && rm x", " | sh", "\nsudo ls"} {
			if got := effectOf(script + more); got == policy.Allow && !quiet(script+more) {
				t.Errorf("%q is allowed", script+more)
			}
		}
		if strings.HasSuffix(script, `\`) {
			return // the backslash would escape the character after the script
		}
		quoted := singleQuoted("\n" + script) // the newline keeps the script from being an option
		for _, wrapped := range []string{
			"{ " + script + "\n}", "( " + script + "\n)", "echo $( " + script + "\n)", "if true; then " + script + "\nfi", "sh -c " + quoted, "eval " + quoted,
			"env A=1 timeout 5 nice sh -c " + quoted, "watch " + quoted,
		} {
			if got := effectOf(wrapped); got > effect {
				t.Errorf("%q is %v, but %q within it %v", wrapped, got, script, effect)
			}
		}
	})
}

// quiet reports whether a command that is appended to script does not run. Either the command
// became part of a comment or string, or the script declares a function with the command's name.
func quiet(script string) bool {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(script), "")
	if err != nil {
		return false
	}
	found, declared := false, false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			found = found || len(n.Args) > 0 && appended(n.Args[0].Lit())
		case *syntax.FuncDecl:
			declared = declared || appended(n.Name.Value)
		}
		return true
	})
	return !found || declared
}

// appended reports whether the test appends a command with this name.
func appended(name string) bool { return name == "rm" || name == "sh" || name == "sudo" }
