package bash

import (
	"strconv"
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

// expansion rewrites a parameter expansion that the interpreter runs wrongly, in place.
func (p *preparation) expansion(e *syntax.ParamExp) {
	if e.Param == nil {
		return
	}
	if n, err := strconv.Atoi(e.Param.Value); err == nil && n > 9 {
		p.highParameter(e, n)
	}
	if e.Exp != nil && removesPattern(e.Exp.Op) && e.Exp.Word != nil {
		for i, part := range e.Exp.Word.Parts {
			e.Exp.Word.Parts[i] = literalPattern(part)
		}
	}
	if e.Repl != nil && e.Repl.Orig != nil && len(e.Repl.Orig.Parts) > 0 && !e.Repl.All {
		first, ok := e.Repl.Orig.Parts[0].(*syntax.Lit)
		if ok && strings.IndexAny(first.Value, "#%") == 0 {
			p.refuse(e, "${%s/%c...} is not supported; remove the beginning with ${%[1]s#pattern} or the end with ${%[1]s%%pattern}", e.Param.Value, first.Value[0])
		}
	}
}

// highParameter rewrites a parameter such as ${10} as a slice of all parameters. The interpreter
// does not support parameters above 9.
func (p *preparation) highParameter(e *syntax.ParamExp, n int) {
	if e.Length || e.Excl || e.Slice != nil || e.Repl != nil || e.Exp != nil {
		p.refuse(e, "${%d} is only supported without operators; assign it to a variable first", n)
		return
	}
	e.Short = false
	e.Param = &syntax.Lit{ValuePos: e.Param.ValuePos, ValueEnd: e.Param.ValueEnd, Value: "*"}
	e.Slice = &syntax.Slice{Offset: literal(strconv.Itoa(n)), Length: literal("1")}
}

func literal(text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: text}}}
}

func removesPattern(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return true
	}
	return false
}

// literalPattern escapes the pattern characters in a quoted text, because the interpreter does not
// treat them as literal.
func literalPattern(part syntax.WordPart) syntax.WordPart {
	const special = `*?[\`
	text, ok := quotedText(part)
	if !ok || !strings.ContainsAny(text, special) {
		return part
	}
	var b strings.Builder
	for i := range len(text) {
		if strings.IndexByte(special, text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return &syntax.SglQuoted{Left: part.Pos(), Right: part.End(), Value: b.String()}
}

// quotedText returns the value of a quoted part. It returns false for a part with expansions or
// escapes.
func quotedText(part syntax.WordPart) (string, bool) {
	switch part := part.(type) {
	case *syntax.SglQuoted:
		return part.Value, !part.Dollar
	case *syntax.DblQuoted:
		if len(part.Parts) != 1 || part.Dollar {
			return "", false
		}
		lit, ok := part.Parts[0].(*syntax.Lit)
		return lit.Value, ok && !strings.Contains(lit.Value, `\`)
	}
	return "", false
}

// associative returns the names that a script declares as associative arrays.
func associative(file *syntax.File) map[string]bool {
	names := map[string]bool{}
	syntax.Walk(file, func(node syntax.Node) bool {
		decl, ok := node.(*syntax.DeclClause)
		if !ok {
			return true
		}
		found := false
		for _, arg := range decl.Args {
			if arg.Name == nil && arg.Value != nil {
				option := arg.Value.Lit()
				found = found || strings.HasPrefix(option, "-") && strings.Contains(option, "A")
			} else if arg.Name != nil && found {
				names[arg.Name.Value] = true
			}
		}
		return true
	})
	return names
}

// counted returns an expression for the number of keys that replaces ${#map[@]}. The interpreter
// would return 1 for ${#map[@]}.
func (p *preparation) counted(e *syntax.ParamExp) syntax.WordPart {
	index, ok := e.Index.(*syntax.Word)
	if !e.Length || e.Param == nil || !p.maps[e.Param.Value] || !ok || index.Lit() != "@" && index.Lit() != "*" {
		return e
	}
	return &syntax.CmdSubst{Left: e.Pos(), Right: e.End(), Stmts: template(countCommand + ` "${!` + e.Param.Value + `[@]}"`)}
}

// testVariable rewrites -v map[key] as -n ${map[key]+x}. It also replaces an empty name after -v.
func testVariable(test *syntax.UnaryTest) {
	word, ok := test.X.(*syntax.Word)
	if test.Op != syntax.TsVarSet && test.Op != syntax.TsRefVar || !ok {
		return
	}
	if word.Lit() == "" {
		test.X = named(word)
	}
	if test.Op != syntax.TsVarSet {
		return
	}
	text := printed(word)
	if !strings.HasSuffix(text, "]") || !strings.Contains(text, "[") || strings.ContainsAny(text, "'\"") {
		return
	}
	stmts := template("[[ -n ${" + text + "+x} ]]")
	if len(stmts) == 1 {
		if clause, ok := stmts[0].Cmd.(*syntax.TestClause); ok {
			if set, ok := clause.X.(*syntax.UnaryTest); ok {
				test.Op, test.X = set.Op, set.X
			}
		}
	}
}

// named returns a word that is never empty, to replace a word that should name a variable. The
// interpreter panics on an empty name.
func named(word *syntax.Word) *syntax.Word {
	stmts := template(nameCommand + ` "x"`)
	if call, ok := stmts[0].Cmd.(*syntax.CallExpr); ok {
		call.Args[1] = word
	}
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Left: word.Pos(), Right: word.End(), Parts: []syntax.WordPart{
		&syntax.CmdSubst{Left: word.Pos(), Right: word.End(), Stmts: stmts},
	}}}}
}

// nameReferences replaces empty names in references such as declare -n ref=$1.
func nameReferences(decl *syntax.DeclClause) {
	reference := decl.Variant != nil && decl.Variant.Value == "nameref"
	for _, arg := range decl.Args {
		if arg.Name == nil && arg.Value != nil {
			option := arg.Value.Lit()
			reference = reference || strings.HasPrefix(option, "-") && strings.Contains(option, "n")
		} else if arg.Name != nil && !arg.Naked && arg.Array == nil && reference {
			if arg.Value == nil {
				arg.Value = literal(noName)
			} else if arg.Value.Lit() == "" {
				arg.Value = named(arg.Value)
			}
		}
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

// unquotedArithmetic returns the arithmetic expression inside the quotes of an argument of let.
func unquotedArithmetic(expr syntax.ArithmExpr) syntax.ArithmExpr {
	word, ok := expr.(*syntax.Word)
	if !ok || len(word.Parts) != 1 {
		return expr
	}
	text := ""
	switch part := word.Parts[0].(type) {
	case *syntax.SglQuoted:
		text = part.Value
	case *syntax.DblQuoted:
		if len(part.Parts) > 0 {
			text = printed(&syntax.Word{Parts: part.Parts})
		}
	default:
		return expr
	}
	if strings.TrimSpace(text) == "" {
		return literal("0")
	}
	stmts := template("((" + text + "))")
	if len(stmts) != 1 {
		return expr
	}
	if cmd, ok := stmts[0].Cmd.(*syntax.ArithmCmd); ok && cmd.X != nil {
		return cmd.X
	}
	return expr
}

// assignElements rewrites ((map[key]++)) and similar statements as assignments, since the
// interpreter's arithmetic can only change variables.
func (p *preparation) assignElements(stmt *syntax.Stmt) {
	cmd, ok := stmt.Cmd.(*syntax.ArithmCmd)
	if !ok {
		return
	}
	var target syntax.ArithmExpr
	operator, value := "", ""
	switch x := cmd.X.(type) {
	case *syntax.UnaryArithm:
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			target, operator, value = x.X, x.Op.String()[:1], "1"
		}
	case *syntax.BinaryArithm:
		if isAssignment(x.Op) {
			target, operator, value = x.X, strings.TrimSuffix(x.Op.String(), "="), printedArithmetic(x.Y)
		}
	}
	element, ok := elementOf(target)
	if !ok {
		return
	}
	name := element.Param.Value
	index := printedArithmetic(element.Index)
	old := ""
	if operator != "" {
		old = "${" + name + "[" + index + "]:-0} " + operator + " "
	}
	if replaced := template(name + "[" + index + "]=$((" + old + "(" + value + ")))"); len(replaced) == 1 {
		stmt.Cmd = replaced[0].Cmd
	}
}

// printedArithmetic returns the source code of an expression.
func printedArithmetic(expr syntax.ArithmExpr) string {
	text := printed(&syntax.ArithmCmd{X: expr})
	return strings.TrimSuffix(strings.TrimPrefix(text, "(("), "))")
}

// elementOf returns the array element in expr, if expr is nothing more than an array element.
func elementOf(expr syntax.ArithmExpr) (*syntax.ParamExp, bool) {
	word, ok := expr.(*syntax.Word)
	if !ok || len(word.Parts) != 1 {
		return nil, false
	}
	e, ok := word.Parts[0].(*syntax.ParamExp)
	return e, ok && e.Short && e.Index != nil && e.Param != nil
}

// target rejects an arithmetic assignment to anything other than a variable.
func (p *preparation) target(node syntax.Node, x syntax.ArithmExpr) {
	if _, ok := elementOf(x); ok {
		p.refuse(node, "an element of an array can only be changed by a separate ((name[index] += value)), not inside another expression; write name[index]=$((...))")
		return
	}
	word, ok := x.(*syntax.Word)
	if !ok || !syntax.ValidName(word.Lit()) {
		p.refuse(node, "arithmetic can only change variables; write an assignment such as $((x += 1))")
	}
}

func isAssignment(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
		syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		return true
	}
	return false
}
