// Package markdown implements the built-in tool markdown, which converts Markdown to HTML or plain
// text, or extracts parts of the Markdown.
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

// MaxOutput limits the output of a call, in bytes.
const MaxOutput = 4 << 20

// Operation is the operation of a call.
type Operation string

// The operations.
const (
	// safe HTML, without scripts and without the raw HTML of the Markdown
	HTML        Operation = "html"
	Text        Operation = "text"         // plain text without markup
	TOC         Operation = "toc"          // the headings as a list of links
	Code        Operation = "code"         // the code blocks
	Links       Operation = "links"        // the links and images
	Tables      Operation = "tables"       // the tables
	FrontMatter Operation = "front_matter" // the metadata before the document
)

// Args are the arguments of markdown.
type Args struct {
	// Operation is the operation; it must not be empty.
	Operation Operation `json:"operation"`
	// Text is the Markdown. FilePath is a file that contains the Markdown. Only one of them may be
	// set.
	Text     string `json:"text"`
	FilePath string `json:"file_path"`
	// Language makes the operation Code return only the code blocks of that language; "" means all.
	Language string `json:"language"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	return "Reading Markdown: " + string(a.Operation), nil
}

// Run writes the result to out; FilePath is a file in fsys. The message of an error is written for
// a model.
func Run(fsys fs.FS, args Args, out io.Writer) error {
	switch args.Operation {
	case HTML, Text, TOC, Code, Links, Tables, FrontMatter:
	default:
		return fmt.Errorf(`the argument "operation" is %q; it must be html, text, toc, code, links, tables or front_matter`, args.Operation)
	}
	if args.Language != "" && args.Operation != Code {
		return fmt.Errorf("the argument language is only for the operation code, but operation is %q", args.Operation)
	}
	content, err := source.Read(fsys, args.Text, args.FilePath)
	if err != nil {
		return err
	}
	front, body := splitFront(content)
	if args.Operation == FrontMatter {
		if front == "" {
			return errors.New("the text has no front matter; it must be between two lines --- (YAML) or +++ (TOML) at the very beginning")
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
		return fmt.Errorf("the result is larger than the limit of %d bytes; give a part of the text", MaxOutput)
	}
	_, err = out.Write(result)
	return err
}

// document is a parsed Markdown document.
type document struct {
	markdown goldmark.Markdown
	source   []byte
	root     ast.Node
}

// parse parses Markdown with GitHub's extensions: tables, strikethrough, task lists and bare
// links.
func parse(body string) document {
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	content := []byte(body)
	return document{markdown: markdown, source: content, root: markdown.Parser().Parse(text.NewReader(content))}
}

func (d document) result(args Args) ([]byte, error) {
	switch args.Operation {
	case HTML:
		// By default the renderer omits raw HTML and URLs that run scripts.
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
