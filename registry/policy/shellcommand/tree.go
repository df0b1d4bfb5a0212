package shellcommand

import (
	"path"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"mvdan.cc/sh/v3/syntax"
)

// tree is a parsed script.
type tree struct {
	c     *classifier
	text  string
	depth int
	// functions are the functions that are certainly declared, with the position where each
	// declaration ends.
	functions map[string]uint
}

// topFunctions returns the functions declared at the top level of the script. A function declared
// in a branch or subshell does not always exist when its name is called.
func topFunctions(file *syntax.File) map[string]uint {
	functions := make(map[string]uint)
	for _, stmt := range file.Stmts {
		if f, ok := stmt.Cmd.(*syntax.FuncDecl); ok && f.Name != nil && !stmt.Background {
			if _, twice := functions[f.Name.Value]; !twice {
				functions[f.Name.Value] = stmt.End().Offset()
			}
		}
	}
	return functions
}

// source returns the part of the script that a node represents.
func (t *tree) source(n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if from > to || to > uint(len(t.text)) {
		return ""
	}
	return t.text[from:to]
}

// walk classifies everything the script does. Unknown kinds of nodes need approval.
func (t *tree) walk(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if t.c.full {
			return false
		}
		switch n := n.(type) {
		case *syntax.CallExpr:
			t.call(n)
		case *syntax.Redirect:
			t.redirect(n)
		case *syntax.Assign:
			t.assign(n)
		case *syntax.WordIter:
			t.variable(n, n.Name.Value)
		case *syntax.CoprocClause:
			// Shells differ in where the name of a coprocess ends and its command begins.
			t.c.add(t.source(n), ask("runs a command concurrently"))
			if n.Name != nil {
				t.c.command([]word{t.read(n.Name)}, t.source(n.Name), t.depth, false)
			}
		case *syntax.ParamExp:
			t.expansion(n)
		case *syntax.BinaryArithm:
			t.arithmetic(n)
		case *syntax.UnaryArithm:
			t.arithmetic(n)
		case *syntax.BinaryTest:
			t.comparison(n)
		case *syntax.LetClause:
			t.hidden(n)
			t.let(n)
		case *syntax.TestClause:
			t.hidden(n)
		case nil, *syntax.File, *syntax.Stmt, *syntax.Comment, *syntax.Word, *syntax.Lit, *syntax.SglQuoted,
			*syntax.DblQuoted, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp, *syntax.ArithmCmd,
			*syntax.ParenArithm, *syntax.ExtGlob, *syntax.BraceExp, *syntax.ArrayExpr,
			*syntax.ArrayElem, *syntax.DeclClause, *syntax.FuncDecl, *syntax.Block, *syntax.Subshell,
			*syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CStyleLoop, *syntax.CaseClause,
			*syntax.CaseItem, *syntax.BinaryCmd, *syntax.TimeClause,
			*syntax.UnaryTest, *syntax.ParenTest:
			// These nodes do nothing themselves; their children are visited.
		default:
			t.c.add(t.source(n), ask("is an unknown kind of syntax"))
		}
		return true
	})
}

// call classifies a simple command.
func (t *tree) call(n *syntax.CallExpr) {
	if len(n.Args) == 0 {
		return
	}
	words := each.Of(n.Args, t.read)
	text := t.text[n.Args[0].Pos().Offset():n.Args[len(n.Args)-1].End().Offset()]
	end, declared := t.functions[words[0].text]
	declared = declared && words[0].fixed && end <= n.Pos().Offset()
	t.c.command(words, text, t.depth, declared)
}

// redirect classifies where output goes and input comes from.
func (t *tree) redirect(n *syntax.Redirect) {
	target := t.read(n.Word)
	if n.N != nil && strings.HasPrefix(n.N.Value, "{") {
		t.c.add(t.source(n), ask("sets a variable to a file that it opens"))
	}
	switch n.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	case syntax.DplIn, syntax.DplOut:
		if target.fixed && strings.Trim(target.text, "0123456789-") == "" {
			return
		}
	case syntax.RdrIn:
		if isDevice(target.text, "tcp/") || isDevice(target.text, "udp/") {
			t.c.add(t.source(n), ask("reaches the network"))
		}
		return
	}
	switch {
	case isDisk(target.text):
		t.c.add(t.source(n), deny("writes to a device"))
	case !target.fixed || !slices.Contains(harmlessTargets, target.text):
		t.c.addPart(ask("writes to a file").part(t.source(n))) // it runs nothing
	}
}

// harmlessTargets are files where writing changes nothing.
var harmlessTargets = []string{"/dev/null", "/dev/stdout", "/dev/stderr"}

// isDevice reports whether a path is below /dev with one of these names.
func isDevice(file, name string) bool { return strings.HasPrefix(path.Clean(file), "/dev/"+name) }

// isDisk reports whether a path is a disk or memory device.
func isDisk(file string) bool {
	disks := []string{"sd", "hd", "vd", "xvd", "nvme", "disk", "rdisk", "mmcblk", "dm-", "md", "loop", "mapper/", "mem", "kmem", "port"}
	return slices.ContainsFunc(disks, func(name string) bool { return isDevice(file, name) })
}

// hidden requires approval for text that is evaluated again where it is used, such as an index: a
// command substitution in it would run.
func (t *tree) hidden(n syntax.Node) {
	syntax.Walk(n, func(inner syntax.Node) bool {
		text, known := "", true
		switch inner := inner.(type) {
		case *syntax.SglQuoted:
			text = inner.Value
			if inner.Dollar {
				text, known = unquoteDollar(text)
			}
		case *syntax.Lit:
			text = inner.Value
		}
		if !known || looksLikeCommand(text) {
			t.c.add(t.source(n), ask("contains text that may be run as a command"))
			return false
		}
		return true
	})
}

// looksLikeCommand reports whether a text would run a command if it were evaluated again.
func looksLikeCommand(text string) bool {
	return strings.Contains(text, "$(") || strings.Contains(text, "`") || strings.Contains(text, "${")
}
