package shellcommand

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wasmtool/wasmtool/registry/policy"
)

// steering are variables that decide which programs run or what they do; a name that ends in * is a
// prefix.
var steering = []string{
	"PATH", "LD_*", "DYLD_*", "IFS", "ENV", "BASH_*", "BASHOPTS", "SHELLOPTS", "SHELL", "PS0", "PS1", "PS2", "PS4",
	"PROMPT_COMMAND", "GIT_*", "SSH_*", "PAGER", "MANPAGER", "LESS*", "EDITOR", "VISUAL", "BROWSER", "HOME", "CDPATH",
	"XDG_*", "PYTHON*", "PERL*", "RUBY*", "NODE_*", "NPM_*", "npm_*", "JAVA_*", "_JAVA_OPTIONS", "GO*", "CARGO_*", "RUST*", "CC", "CXX",
	"MAKEFLAGS", "TAR_OPTIONS", "GREP_OPTIONS", "RIPGREP_CONFIG_PATH", "AWKPATH", "AWKLIBPATH", "GLOBIGNORE", "HISTFILE",
	"TERMINFO*", "LOCPATH", "NLSPATH", "GCONV_PATH", "INPUTRC", "POSIXLY_CORRECT", "OPENSSL_*", "CURL_HOME", "FPATH", "fpath", "path", "ZDOTDIR", "SHLIB_PATH", "LIBPATH", "HOSTALIASES", "RES_OPTIONS", "*_proxy", "*_PROXY", "FUNCNEST", "EXECIGNORE",
}

// steers reports whether a variable decides what runs.
func steers(name string) bool {
	return slices.ContainsFunc(steering, func(pattern string) bool { return matches(pattern, name) })
}

const steersWhy = "sets a variable that decides what runs"

// variable classifies setting a variable.
func (t *tree) variable(n syntax.Node, name string) {
	if steers(name) {
		t.c.add(t.source(n), ask(steersWhy))
	}
}

// assign classifies an assignment or an operand of declare. Such an operand may be an option.
func (t *tree) assign(n *syntax.Assign) {
	switch {
	case n.Name == nil: // an operand of declare that is an option or is not a plain name
		if w := t.read(n.Value); !w.fixed || strings.ContainsAny(w.text, "n") && w.option || strings.Contains(w.text, "=") {
			t.c.add(t.source(n), ask("declares variables that are only known when it runs"))
		}
		return
	case n.Naked: // export NAME
	case n.Value != nil:
		t.hidden(n.Value)
	case n.Array != nil:
		t.hidden(n.Array)
	}
	if n.Index != nil {
		t.hidden(n.Index)
	}
	t.variable(n, n.Name.Value)
}

func comparesNumbers(n *syntax.BinaryTest) bool {
	return slices.Contains([]syntax.BinTestOperator{
		syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr,
	}, n.Op)
}

// expansion classifies side effects of expanding a parameter.
func (t *tree) expansion(n *syntax.ParamExp) {
	if n.Exp == nil {
		return
	}
	switch n.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if n.Param != nil {
			t.variable(n, n.Param.Value)
		}
		if n.Excl {
			t.c.add(t.source(n), ask("sets a variable that is only known when it runs"))
		}
		if n.Exp.Word != nil {
			t.hidden(n.Exp.Word)
		}
	case syntax.OtherParamOps: // ${x@P} evaluates commands in the value
		if n.Exp.Word == nil || !strings.Contains("UuLQEAKak", n.Exp.Word.Lit()) || n.Exp.Word.Lit() == "" {
			t.c.add(t.source(n), ask("evaluates the value of a variable"))
		}
	}
}

// arithmetic classifies assignments in arithmetic.
func (t *tree) arithmetic(n syntax.ArithmExpr) {
	var set syntax.ArithmExpr
	switch n := n.(type) {
	case *syntax.BinaryArithm:
		compares := []string{"==", "!=", "<=", ">="}
		if op := n.Op.String(); strings.HasSuffix(op, "=") && !slices.Contains(compares, op) {
			set = n.X
		}
	case *syntax.UnaryArithm:
		if n.Op == syntax.Inc || n.Op == syntax.Dec {
			set = n.X
		}
	}
	if set == nil {
		return
	}
	name, _, _ := strings.Cut(t.source(set), "[")
	if name = strings.TrimSpace(name); syntax.ValidName(name) {
		t.variable(n, name)
		return
	}
	t.c.add(t.source(n), ask("sets a variable that is only known when it runs"))
}

// let classifies arithmetic that is given as strings.
func (t *tree) let(n *syntax.LetClause) {
	for _, x := range n.Exprs {
		if w, ok := x.(*syntax.Word); ok {
			if j := classifyLet([]word{t.read(w)}); j.effect != policy.Allow {
				t.c.add(t.source(n), j)
			}
		}
	}
}

// comparison classifies a comparison of numbers, whose operands are arithmetic.
func (t *tree) comparison(n *syntax.BinaryTest) {
	if !comparesNumbers(n) {
		return
	}
	for _, x := range []syntax.TestExpr{n.X, n.Y} {
		if w, ok := x.(*syntax.Word); ok && computes(t.read(w).text) {
			t.c.add(t.source(n), ask(steersWhy))
		}
	}
}

// assignment splits NAME=VALUE, as in arguments of env and export.
func assignment(w word) (name string, ok bool) {
	name, _, ok = strings.Cut(w.text, "=")
	return name, ok && syntax.ValidName(name)
}
