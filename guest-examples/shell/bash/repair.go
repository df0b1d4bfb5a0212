package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// keepInPipe makes the last part of a pipe run in a subshell, as bash does without lastpipe.
// Variables that the last part sets are then not visible after the pipe.
func keepInPipe(cmd *syntax.BinaryCmd) {
	if cmd.Op != syntax.Pipe && cmd.Op != syntax.PipeAll {
		return
	}
	last := cmd.Y
	switch c := last.Cmd.(type) {
	case *syntax.Subshell:
		return
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			return
		}
	}
	inner := *last
	inner.Negated, inner.Comments = false, nil
	cmd.Y = &syntax.Stmt{
		Position: last.Position, Negated: last.Negated, Comments: last.Comments,
		Cmd: &syntax.Subshell{Lparen: last.Pos(), Rparen: last.End(), Stmts: []*syntax.Stmt{&inner}},
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
