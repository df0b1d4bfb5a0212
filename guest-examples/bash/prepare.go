package bash

import (
	"errors"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// prepare rewrites what the interpreter can't do by itself: process substitutions,
// for which it wants named pipes, go through temporary files, and >| is >, as there
// is no noclobber. It also takes down the names of functions.
func (s *shell) prepare(file *syntax.File) error {
	var failed error
	outputs := 0
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.FuncDecl:
			if node.Name != nil {
				s.mu.Lock()
				s.functions[node.Name.Value] = true
				s.mu.Unlock()
			}
		case *syntax.Redirect:
			if node.Op == syntax.RdrClob {
				node.Op = syntax.RdrOut
			}
		case *syntax.Word:
			for i, part := range node.Parts {
				if p, ok := part.(*syntax.ProcSubst); ok && p.Op == syntax.CmdIn {
					node.Parts[i] = inputSubstitution(p)
				}
			}
		case *syntax.Stmt:
			if err := substituteOutputs(node, &outputs); err != nil && failed == nil {
				failed = err
			}
		}
		return failed == nil
	})
	return failed
}

// needsPreparing reports whether a script may have something that prepare changes.
func needsPreparing(script string) bool {
	return strings.Contains(script, "<(") || strings.Contains(script, ">(") || strings.Contains(script, ">|")
}

// inputSubstitution returns what stands for <(commands): the name of a file with
// their output. The status of the commands counts for nothing.
func inputSubstitution(p *syntax.ProcSubst) *syntax.CmdSubst {
	stmts := template(`__file=$(` + tempCommand + `) && { (:) >"$__file" || :; echo "$__file"; }`)
	substitution := &syntax.CmdSubst{Left: p.Pos(), Right: p.Rparen, Stmts: stmts}
	fill(stmts, p.Stmts)
	return substitution
}

// substituteOutputs wraps a statement in which >(commands) stands: it writes to a
// file, and the commands read that file when it has ended.
func substituteOutputs(stmt *syntax.Stmt, count *int) error {
	var found []*syntax.ProcSubst
	var vars []string
	forWordsOf(stmt, func(word *syntax.Word) {
		for i, part := range word.Parts {
			p, ok := part.(*syntax.ProcSubst)
			if !ok || p.Op != syntax.CmdOut {
				continue
			}
			*count++
			name := "__output" + strconv.Itoa(*count)
			found, vars = append(found, p), append(vars, name)
			word.Parts[i] = &syntax.DblQuoted{Parts: []syntax.WordPart{
				&syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: name}},
			}}
		}
	})
	if len(found) == 0 {
		return nil
	}
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) == 1 && call.Args[0].Lit() == "exec" {
		return errors.New("exec > >(command) is not possible here, since commands do not run beside the script; write { ...; } > >(command), or pipe into the command")
	}
	inner := *stmt
	inner.Background, inner.Comments = false, nil
	var stmts []*syntax.Stmt
	for _, name := range vars {
		stmts = append(stmts, template(name+`=$(`+tempCommand+`)`)...)
	}
	status := "__status" + strconv.Itoa(*count)
	conditional := template(`if :; then ` + status + `=0; else ` + status + `=$?; fi`)
	conditional[0].Cmd.(*syntax.IfClause).Cond = []*syntax.Stmt{&inner}
	stmts = append(stmts, conditional...)
	for i, p := range found {
		reading := template(`(:) <"$` + vars[i] + `" || :`)
		fill(reading, p.Stmts)
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
	return nil
}

// forWordsOf calls f for the words of a statement, without those of statements
// inside of it.
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

// template parses a piece of shell that is known to be right.
func template(script string) []*syntax.Stmt {
	file, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil {
		return nil
	}
	return file.Stmts
}

// fill puts commands in the place of the subshell (:) of a template.
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
