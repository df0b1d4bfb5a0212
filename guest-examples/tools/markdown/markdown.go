// Package markdown is the built-in tool markdown: Markdown as HTML or as plain
// text, and the parts of it that a program asks for.
package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/wasmtool/wasmtool/guest-examples/internal/source"
)

// MaxOutput is how many bytes a call writes.
const MaxOutput = 4 << 20

// Operation is what a call does.
type Operation string

// The operations.
const (
	HTML        Operation = "html"         // HTML without scripts and raw HTML
	Text        Operation = "text"         // the text as one would read it out
	TOC         Operation = "toc"          // the headings, as a list of links
	Code        Operation = "code"         // the blocks of code
	Links       Operation = "links"        // the links and images
	Tables      Operation = "tables"       // the tables
	FrontMatter Operation = "front_matter" // what stands before the document
)

// Args are the arguments of markdown.
type Args struct {
	// Operation is what to do; "" is an error.
	Operation Operation `json:"operation"`
	// Text is the Markdown, or FilePath a file that has it.
	Text     string `json:"text"`
	FilePath string `json:"file_path"`
	// Language restricts Code to the blocks of that language; "" means all.
	Language string `json:"language"`
}

// Run writes the result to out; files are read in fsys. The text of an error is
// written for a model.
func Run(fsys fs.FS, args Args, out io.Writer) error {
	switch args.Operation {
	case HTML, Text, TOC, Code, Links, Tables, FrontMatter:
	default:
		return fmt.Errorf("operation is %q; it must be html, text, toc, code, links, tables or front_matter", args.Operation)
	}
	if args.Language != "" && args.Operation != Code {
		return fmt.Errorf("language is given; it is for the operation code, and operation is %q", args.Operation)
	}
	content, err := source.Read(fsys, args.Text, args.FilePath)
	if err != nil {
		return err
	}
	front, body := splitFront(content)
	if args.Operation == FrontMatter {
		if front == "" {
			return errors.New("there is no front matter; it stands between two lines --- (YAML) or +++ (TOML) at the very beginning")
		}
		_, err := io.WriteString(out, front)
		return err
	}
	if err := check(body); err != nil {
		return err
	}
	d := parse(body)
	result, err := d.result(args)
	if err != nil {
		return err
	}
	if len(result) > MaxOutput {
		return fmt.Errorf("the result is larger than %d bytes; give a part of the text", MaxOutput)
	}
	_, err = out.Write(result)
	return err
}

// document is a parsed text.
type document struct {
	markdown goldmark.Markdown
	source   []byte
	root     ast.Node
}

// parse reads Markdown with the extensions of GitHub: tables, strikethrough,
// task lists and bare links.
func parse(body string) document {
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	content := []byte(body)
	return document{markdown: markdown, source: content, root: markdown.Parser().Parse(text.NewReader(content))}
}

func (d document) result(args Args) ([]byte, error) {
	switch args.Operation {
	case HTML:
		// Without the option for it the renderer leaves raw HTML out, and
		// addresses that run a script.
		var out bytes.Buffer
		err := d.markdown.Renderer().Render(&out, d.source, d.root)
		return out.Bytes(), err
	case Text:
		return d.plain(), nil
	case TOC:
		return d.contents(), nil
	case Code:
		return encode(d.code(args.Language)), nil
	case Links:
		return encode(d.links()), nil
	}
	return encode(d.tables()), nil
}
