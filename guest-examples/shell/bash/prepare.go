package bash

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// prepare rewrites constructs that the interpreter lacks or runs differently from bash. It rejects
// a construct that would give a wrong result. It also records the names of functions.
func (s *shell) prepare(file *syntax.File) (err error) {
	defer recoverAs(&err, file.Name)
	var p preparation
	syntax.Walk(file, func(node syntax.Node) bool {
		if decl, ok := node.(*syntax.FuncDecl); ok && decl.Name != nil {
			s.mu.Lock()
			s.functions[decl.Name.Value] = true
			s.mu.Unlock()
		}
		if node != nil {
			p.node(node)
		}
		return p.err == nil
	})
	return p.err
}

// preparation is the state of one call of prepare.
type preparation struct {
	// outputs is the number of process substitutions >(commands) so far.
	outputs int
	err     error
}

func (p *preparation) node(node syntax.Node) {
	switch node := node.(type) {
	case *syntax.Stmt:
		p.substituteOutputs(node)
	case *syntax.CallExpr:
		p.trapped(node)
		p.options(node)
	case *syntax.DeclClause:
		p.exportedFunction(node)
	case *syntax.CoprocClause:
		p.refuse(node, "coproc is not supported; use a pipe, or & with output to a file")
	case *syntax.Word:
		for i, part := range node.Parts {
			node.Parts[i] = replaced(part)
		}
	case *syntax.DblQuoted:
		for i, part := range node.Parts {
			node.Parts[i] = replaced(part)
		}
	}
}

// replaced returns the word part that replaces part.
func replaced(part syntax.WordPart) syntax.WordPart {
	if input, ok := part.(*syntax.ProcSubst); ok && input.Op == syntax.CmdIn {
		return inputSubstitution(input)
	}
	return part
}

// trapped rejects a trap that would never run.
func (p *preparation) trapped(call *syntax.CallExpr) {
	if len(call.Args) < 3 || call.Args[0].Lit() != "trap" {
		return
	}
	for _, arg := range call.Args[2:] {
		if name := strings.TrimPrefix(strings.ToUpper(arg.Lit()), "SIG"); name == "DEBUG" || name == "RETURN" {
			p.refuse(arg, "a trap for %s is not supported; EXIT and ERR are", name)
		}
	}
}

// exportedFunction rejects export -f and declare -fx, because a script that another script starts
// does not get its functions.
func (p *preparation) exportedFunction(decl *syntax.DeclClause) {
	exported, function := decl.Variant.Value == "export", false
	for _, arg := range decl.Args {
		if arg.Name != nil || arg.Value == nil {
			continue
		}
		if letters, ok := strings.CutPrefix(arg.Value.Lit(), "-"); ok {
			exported = exported || strings.Contains(letters, "x")
			function = function || strings.Contains(letters, "f")
		}
	}
	if exported && function {
		p.refuse(decl, "functions can't be exported; write the function to a file, and read it in the other script with: . FILE")
	}
}

// refuse reports an error for a construct that would give a wrong result.
func (p *preparation) refuse(node syntax.Node, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("line %d: %s", node.Pos().Line(), fmt.Sprintf(format, args...))
	}
}

// printed returns the source code of a node.
func printed(node syntax.Node) string {
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, node); err != nil {
		return ""
	}
	return b.String()
}
