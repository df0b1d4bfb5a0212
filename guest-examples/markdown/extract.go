package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/wasmtool/wasmtool/guest-examples/internal/tree"
)

// encode returns the list of items as JSON.
func encode(items []tree.Value) []byte {
	list := tree.Value{Kind: tree.List, Items: items}
	return append(tree.JSON{Indent: 2, Max: MaxOutput}.Append(nil, list), '\n')
}

// collect calls visit for all nodes, parents first.
func (d document) collect(visit func(ast.Node)) {
	// The visitor gives no error, so the walk has none.
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}

// contents returns the headings as a list of links to them.
func (d document) contents() []byte {
	var out bytes.Buffer
	d.collect(func(n ast.Node) {
		heading, ok := n.(*ast.Heading)
		if !ok {
			return
		}
		id := ""
		if value, ok := heading.AttributeString("id"); ok {
			if text, ok := value.([]byte); ok {
				id = string(text)
			}
		}
		title := strings.NewReplacer("[", `\[`, "]", `\]`).Replace(d.inline(heading))
		out.WriteString(strings.Repeat("  ", heading.Level-1) + "- [" + title + "](#" + id + ")\n")
	})
	return out.Bytes()
}

// code returns the blocks of code, of one language unless that is "".
func (d document) code(language string) []tree.Value {
	var blocks []tree.Value
	at := d.newLiner()
	d.collect(func(n ast.Node) {
		name, start := "", 0
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			name = string(n.Language(d.source))
			start = 1 // the line of the fence is not among its lines
		case *ast.CodeBlock:
		default:
			return
		}
		if language != "" && !strings.EqualFold(name, language) {
			return
		}
		line := 0
		if n.Lines().Len() > 0 {
			line = at.line(n.Lines().At(0).Start) - start
		}
		blocks = append(blocks, object(
			member("language", tree.Text(name)),
			member("line", number(line)),
			member("code", tree.Text(string(n.Lines().Value(d.source)))),
		))
	})
	return blocks
}

// links returns the links and images.
func (d document) links() []tree.Value {
	var links []tree.Value
	d.collect(func(n ast.Node) {
		kind, url, title := "link", "", ""
		switch n := n.(type) {
		case *ast.Link:
			url, title = string(n.Destination), string(n.Title)
		case *ast.Image:
			kind, url, title = "image", string(n.Destination), string(n.Title)
		case *ast.AutoLink:
			url = string(n.URL(d.source))
		default:
			return
		}
		link := object(member("kind", tree.Text(kind)), member("text", tree.Text(d.inline(n))), member("url", tree.Text(url)))
		if title != "" {
			link.Members = append(link.Members, member("title", tree.Text(title)))
		}
		links = append(links, link)
	})
	return links
}

// tables returns the tables, each with its columns and rows.
func (d document) tables() []tree.Value {
	var tables []tree.Value
	d.collect(func(n ast.Node) {
		if n.Kind() != extast.KindTable {
			return
		}
		columns, rows := tree.Value{Kind: tree.List}, tree.Value{Kind: tree.List}
		for row := n.FirstChild(); row != nil; row = row.NextSibling() {
			cells := tree.Value{Kind: tree.List}
			for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
				cells.Items = append(cells.Items, tree.Text(d.inline(cell)))
			}
			if row.Kind() == extast.KindTableHeader {
				columns = cells
			} else {
				rows.Items = append(rows.Items, cells)
			}
		}
		tables = append(tables, object(member("columns", columns), member("rows", rows)))
	})
	return tables
}

// object returns the object of the members.
func object(members ...tree.Member) tree.Value {
	return tree.Value{Kind: tree.Object, Members: members}
}

func member(name string, value tree.Value) tree.Member {
	return tree.Member{Name: name, Value: value}
}

func number(n int) tree.Value {
	return tree.Value{Kind: tree.Number, Text: strconv.Itoa(n)}
}

// liner counts lines for offsets that grow.
type liner struct {
	source     []byte
	at, number int
}

func (d document) newLiner() *liner {
	return &liner{source: d.source, number: 1}
}

// line returns the number of the line of the byte at offset, from 1.
func (l *liner) line(offset int) int {
	if offset > l.at {
		l.number += bytes.Count(l.source[l.at:offset], []byte("\n"))
		l.at = offset
	}
	return l.number
}
