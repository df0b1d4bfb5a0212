package bash

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// inputSubstitution returns the replacement of <(commands): the name of a file that contains the
// output of the commands. Their exit status is ignored.
func inputSubstitution(p *syntax.ProcSubst) *syntax.CmdSubst {
	stmts := template(`__file=$(` + tempCommand + `) && { (:) >"$__file" || :; echo "$__file"; }`)
	substitution := &syntax.CmdSubst{Left: p.Pos(), Right: p.Rparen, Stmts: stmts}
	fill(stmts, p.Stmts)
	return substitution
}

// substituteOutputs wraps a statement that contains >(commands). The statement writes to a file,
// and the commands read that file after the statement.
func (p *preparation) substituteOutputs(stmt *syntax.Stmt) {
	var found []*syntax.ProcSubst
	var vars []string
	forWordsOf(stmt, func(word *syntax.Word) {
		for i, part := range word.Parts {
			output, ok := part.(*syntax.ProcSubst)
			if !ok || output.Op != syntax.CmdOut {
				continue
			}
			p.outputs++
			name := "__output" + strconv.Itoa(p.outputs)
			found, vars = append(found, output), append(vars, name)
			word.Parts[i] = &syntax.DblQuoted{Parts: []syntax.WordPart{
				&syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: name}},
			}}
		}
	})
	if len(found) == 0 {
		return
	}
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) == 1 && call.Args[0].Lit() == "exec" {
		p.refuse(stmt, "exec > >(command) is not supported, because a command in >(...) runs after its statement; write { ...; } > >(command), or pipe into the command")
		return
	}
	inner := *stmt
	inner.Background, inner.Comments = false, nil
	var stmts []*syntax.Stmt
	for _, name := range vars {
		stmts = append(stmts, template(name+`=$(`+tempCommand+`)`)...)
	}
	status := "__status" + strconv.Itoa(p.outputs)
	conditional := template(`if :; then ` + status + `=0; else ` + status + `=$?; fi`)
	conditional[0].Cmd.(*syntax.IfClause).Cond = []*syntax.Stmt{&inner}
	stmts = append(stmts, conditional...)
	for i, output := range found {
		reading := template(`(:) <"$` + vars[i] + `" || :`)
		fill(reading, output.Stmts)
		stmts = append(stmts, reading...)
	}
	stmts = append(stmts, template(`(exit "$`+status+`")`)...)
	*stmt = syntax.Stmt{
		Comments:   stmt.Comments,
		Position:   stmt.Position,
		Semicolon:  stmt.Semicolon,
		Background: stmt.Background,
		Cmd:        &syntax.Block{Lbrace: stmt.Pos(), Rbrace: stmt.End(), Stmts: stmts},
	}
}

// forWordsOf calls f for the words of a statement, but not for the words of nested statements.
func forWordsOf(stmt *syntax.Stmt, f func(*syntax.Word)) {
	syntax.Walk(stmt, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Stmt:
			return node == stmt
		case *syntax.Word:
			f(node)
		case *syntax.ProcSubst:
			return false
		}
		return true
	})
}

// template parses shell code that is known to be valid.
func template(script string) []*syntax.Stmt {
	file, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil {
		return nil
	}
	return file.Stmts
}

// fill replaces the subshell (:) in a template with commands.
func fill(stmts, commands []*syntax.Stmt) {
	for _, stmt := range stmts {
		syntax.Walk(stmt, func(node syntax.Node) bool {
			sub, ok := node.(*syntax.Subshell)
			if ok {
				sub.Stmts = commands
			}
			return !ok
		})
	}
}
