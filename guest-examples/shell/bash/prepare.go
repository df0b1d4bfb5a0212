package bash

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

// prepare rewrites constructs that the interpreter lacks or runs differently from bash. It rejects
// a construct that would give a wrong result. It also records the names of functions.
func (s *shell) prepare(file *syntax.File) (err error) {
	defer recoverAs(&err, file.Name)
	p := preparation{}
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
	case *syntax.BinaryCmd:
		keepInPipe(node)
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

// refuse reports an error for a construct that would give a wrong result.
func (p *preparation) refuse(node syntax.Node, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("line %d: %s", node.Pos().Line(), fmt.Sprintf(format, args...))
	}
}
