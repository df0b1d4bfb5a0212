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

// Whatever a script is, a command appended to it is classified, and a wrapper hides nothing.
func FuzzClassify(f *testing.F) {
	for _, c := range cases(f) {
		f.Add(c.script)
	}
	f.Fuzz(func(t *testing.T, script string) {
		if len(script) > 2000 {
			return
		}
		effect := effectOf(script)
		if strings.Contains(script, "\x00") { // some shells end a word at NUL, but none here
			return
		}
		// A complete script that does not end in a comment continues with what follows it.
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
			return // it consumes the end of the line
		}
		quoted := singleQuoted("\n" + script) // not an option, whatever it begins with
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

// quiet reports whether an appended command became part of a comment or string, so that it does not
// run, or has another meaning.
func quiet(script string) bool {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(script), "")
	if err != nil {
		return false
	}
	found, declared := false, false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			found = found || len(n.Args) > 0 && put(n.Args[0].Lit())
		case *syntax.FuncDecl:
			declared = declared || put(n.Name.Value)
		}
		return true
	})
	return !found || declared
}

// put reports whether a name is one of the appended commands.
func put(name string) bool { return name == "rm" || name == "sh" || name == "sudo" }
