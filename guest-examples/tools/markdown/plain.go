package markdown

import (
	"bufio"
	"html"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	gmhtml "github.com/yuin/goldmark/renderer/html"
)

// plain returns the text without markup; only the markers of lists and quotes are kept.
func (d document) plain() []byte {
	lines := d.blocks(d.root)
	if len(lines) == 0 {
		return nil
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// blocks returns the lines of the blocks below n. Blocks are separated by empty lines, but the
// items of a tight list are not.
func (d document) blocks(n ast.Node) []string {
	var lines []string
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		block := d.block(child)
		if len(lines) > 0 && len(block) > 0 && !tight(n) {
			lines = append(lines, "")
		}
		lines = append(lines, block...)
	}
	return lines
}

func tight(n ast.Node) bool {
	if item, ok := n.(*ast.ListItem); ok {
		n = item.Parent()
	}
	list, ok := n.(*ast.List)
	return ok && list.IsTight
}

func (d document) block(n ast.Node) []string {
	switch n := n.(type) {
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return strings.Split(strings.TrimSuffix(string(n.Lines().Value(d.source)), "\n"), "\n")
	case *ast.ThematicBreak:
		return []string{"---"}
	case *ast.HTMLBlock:
		return nil
	case *ast.Blockquote:
		return indent("> ", "> ", d.blocks(n))
	case *ast.List:
		return d.list(n)
	case *extast.Table:
		return d.rows(n)
	}
	if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
		return d.blocks(n)
	}
	return strings.Split(d.inline(n), "\n")
}

func (d document) list(list *ast.List) []string {
	var lines []string
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if list.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		if len(lines) > 0 && !list.IsTight {
			lines = append(lines, "")
		}
		lines = append(lines, indent(mark, strings.Repeat(" ", len(mark)), d.blocks(item))...)
	}
	return lines
}

// indent adds the string first before the first line, and the string rest before each other line.
func indent(first, rest string, lines []string) []string {
	if len(lines) == 0 {
		return []string{strings.TrimRight(first, " ")}
	}
	for i, line := range lines {
		prefix := rest
		if i == 0 {
			prefix = first
		}
		lines[i] = strings.TrimRight(prefix+line, " ")
	}
	return lines
}

func (d document) rows(table *extast.Table) []string {
	var lines []string
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, d.inline(cell))
		}
		lines = append(lines, strings.Join(cells, " | "))
	}
	return lines
}

// inline returns the inline text of n. It resolves escapes and entities and omits raw HTML.
func (d document) inline(n ast.Node) string {
	var out strings.Builder
	if link, ok := n.(*ast.AutoLink); ok {
		return string(link.Label(d.source))
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.Text:
			out.WriteString(d.literal(child))
			switch {
			case child.HardLineBreak():
				out.WriteByte('\n')
			case child.SoftLineBreak():
				out.WriteByte(' ')
			}
		case *ast.String:
			out.Write(child.Value)
		case *extast.TaskCheckBox:
			if child.IsChecked {
				out.WriteString("[x] ")
			} else {
				out.WriteString("[ ] ")
			}
		case *ast.RawHTML:
		default:
			out.WriteString(d.inline(child))
		}
	}
	return out.String()
}

// literal returns the text of a node. Only the HTML writer resolves escapes and entities in the
// right order. literal therefore unescapes the output of the HTML writer.
func (d document) literal(n *ast.Text) string {
	value := n.Segment.Value(d.source)
	if n.IsRaw() {
		return string(value)
	}
	var out strings.Builder
	writer := bufio.NewWriter(&out)
	gmhtml.DefaultWriter.Write(writer, value)
	if err := writer.Flush(); err != nil {
		return string(value) // ignore the error, because writing to a builder never fails
	}
	return html.UnescapeString(out.String())
}
