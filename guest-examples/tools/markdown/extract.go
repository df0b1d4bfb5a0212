package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
)

// encode returns the items as a JSON array.
func encode(items []jsonvalue.Value) []byte {
	return append(jsonvalue.Layout{Indent: 2, Max: MaxOutput}.Append(nil, jsonvalue.NewArray(items)), '\n')
}

// collect calls the function visit for all nodes, parents first.
func (d document) collect(visit func(ast.Node)) {
	// Ignore the error, because visit never returns one.
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}

// contents returns the headings as a Markdown list of links to them.
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

// code returns the code blocks of a language. An empty language means all code blocks.
func (d document) code(language string) []jsonvalue.Value {
	var blocks []jsonvalue.Value
	at := d.newLiner()
	d.collect(func(n ast.Node) {
		name, start := "", 0
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			name = string(n.Language(d.source))
			start = 1 // Lines() does not include the line of the opening fence
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
			member{"language", jsonvalue.NewString(name)},
			member{"line", jsonvalue.NewInt(int64(line))},
			member{"code", jsonvalue.NewString(string(n.Lines().Value(d.source)))},
		))
	})
	return blocks
}

// links returns all links and images.
func (d document) links() []jsonvalue.Value {
	var links []jsonvalue.Value
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
		link := object(
			member{"kind", jsonvalue.NewString(kind)},
			member{"text", jsonvalue.NewString(d.inline(n))},
			member{"url", jsonvalue.NewString(url)},
		)
		if title != "" {
			link.Members().Set("title", jsonvalue.NewString(title))
		}
		links = append(links, link)
	})
	return links
}

// tables returns the tables with their columns and rows.
func (d document) tables() []jsonvalue.Value {
	var tables []jsonvalue.Value
	d.collect(func(n ast.Node) {
		if n.Kind() != extast.KindTable {
			return
		}
		var columns, rows []jsonvalue.Value
		for row := n.FirstChild(); row != nil; row = row.NextSibling() {
			var cells []jsonvalue.Value
			for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
				cells = append(cells, jsonvalue.NewString(d.inline(cell)))
			}
			if row.Kind() == extast.KindTableHeader {
				columns = cells
			} else {
				rows = append(rows, jsonvalue.NewArray(cells))
			}
		}
		tables = append(tables, object(member{"columns", jsonvalue.NewArray(columns)}, member{"rows", jsonvalue.NewArray(rows)}))
	})
	return tables
}

type member struct {
	name  string
	value jsonvalue.Value
}

// object returns a JSON object with the given members.
func object(members ...member) jsonvalue.Value {
	all := &jsonvalue.Members{}
	for _, m := range members {
		all.Set(m.name, m.value)
	}
	return jsonvalue.NewObject(all)
}

// liner converts increasing offsets to line numbers.
type liner struct {
	source     []byte
	at, number int
}

func (d document) newLiner() *liner {
	return &liner{source: d.source, number: 1}
}

// line returns the number of the line that contains the byte at offset. The first line is 1.
func (l *liner) line(offset int) int {
	if offset > l.at {
		l.number += bytes.Count(l.source[l.at:offset], []byte("\n"))
		l.at = offset
	}
	return l.number
}
