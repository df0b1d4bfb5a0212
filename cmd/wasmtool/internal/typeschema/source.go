// Package typeschema derives the schemas of a tool from the types in its source in Go, and brings
// the tables of its manifest in step with them. It reads the source and never runs it.
package typeschema

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// Schema is a JSON Schema. A nil Schema says nothing about a value.
type Schema map[string]any

// Schemas are the schemas of a tool. One is nil if the tool's type sets none: a string,
// guest.Result or a type of another package.
type Schemas struct{ Parameters, Result Schema }

// ErrNoRun is the error of a source that does not pass its tool to guest.Run.
var ErrNoRun = errors.New("the source has no call of guest.Run")

// guestPackage is the import path of the SDK.
const guestPackage = "github.com/wasmtool/wasmtool/guest"

// Of returns the schemas of the tool whose source is in dir. Errors name the place in the source.
func Of(dir string) (Schemas, error) {
	p, err := parse(dir)
	if err != nil {
		return Schemas{}, err
	}
	in, out, err := p.tool()
	if err != nil {
		return Schemas{}, err
	}
	var s Schemas
	if s.Parameters, err = p.schema(in); err != nil {
		return Schemas{}, err
	}
	if s.Parameters["type"] != "object" {
		s.Parameters = nil // a string, which the module gets without JSON
	}
	if name, ok := out.(*ast.Ident); ok && name.Name == "string" {
		return s, nil
	}
	s.Result, err = p.schema(out)
	return s, err
}

// source is a parsed package.
type source struct {
	files *token.FileSet
	parts []*ast.File
	types map[string]*ast.TypeSpec // also those inside functions
	funcs map[string]*ast.FuncDecl // without methods
	own   map[string]bool          // types with their own encoding, as TYPE.METHOD
	enums map[string][]any         // the constants of string types
	walk  []string                 // the types that contain the one that is derived now
}

// parse parses the files of the package that the compiler would use.
func parse(dir string) (*source, error) {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled = "wasip1", "wasm", false
	found, err := c.ImportDir(dir, 0)
	if err != nil {
		return nil, errors.New("no package of Go was found, or it has an error; run 'go build' to see it")
	}
	p := &source{
		files: token.NewFileSet(), types: make(map[string]*ast.TypeSpec), funcs: make(map[string]*ast.FuncDecl),
		own: make(map[string]bool), enums: make(map[string][]any),
	}
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(p.files, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("%s has an error; run 'go build' to see it", name)
		}
		p.parts = append(p.parts, file)
		ast.Inspect(file, p.note)
	}
	return p, nil
}

// note records a declaration.
func (p *source) note(n ast.Node) bool {
	switch d := n.(type) {
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				p.types[s.Name.Name] = s
			case *ast.ValueSpec:
				p.noteConstants(d.Tok, s)
			}
		}
	case *ast.FuncDecl:
		if d.Recv == nil {
			p.funcs[d.Name.Name] = d
		} else if receiver, ok := pointee(d.Recv.List[0].Type).(*ast.Ident); ok {
			p.own[receiver.Name+"."+d.Name.Name] = true
		}
	}
	return true
}

// noteConstants records the values of a type's constants.
func (p *source) noteConstants(tok token.Token, s *ast.ValueSpec) {
	name, ok := s.Type.(*ast.Ident)
	if tok != token.CONST || !ok {
		return
	}
	for _, value := range s.Values {
		if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				p.enums[name.Name] = append(p.enums[name.Name], text)
			}
		}
	}
}

// tool returns the types of the arguments and the output of the tool.
func (p *source) tool() (in, out ast.Expr, err error) {
	err = ErrNoRun
	for _, file := range p.parts {
		guest := importName(file)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if ok && in == nil && len(call.Args) == 1 && isRun(call.Fun, guest) {
				in, out, err = p.signature(call.Args[0])
			}
			return true
		})
	}
	return in, out, err
}

// importName returns the name of the SDK in a file, or "".
func importName(file *ast.File) string {
	for _, i := range file.Imports {
		if path, _ := strconv.Unquote(i.Path.Value); path == guestPackage {
			if i.Name != nil {
				return i.Name.Name
			}
			return "guest"
		}
	}
	return ""
}

// isRun reports whether an expression is guest.Run, with or without type arguments.
func isRun(f ast.Expr, guest string) bool {
	if index, ok := f.(*ast.IndexListExpr); ok {
		f = index.X
	}
	s, ok := f.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	name, ok := s.X.(*ast.Ident)
	return ok && guest != "" && name.Name == guest && s.Sel.Name == "Run"
}

// signature returns the types of the second parameter and the first result of a function.
func (p *source) signature(f ast.Expr) (in, out ast.Expr, err error) {
	var typ *ast.FuncType
	switch f := f.(type) {
	case *ast.FuncLit:
		typ = f.Type
	case *ast.Ident:
		if d := p.funcs[f.Name]; d != nil {
			typ = d.Type
		}
	}
	if typ == nil || typ.Results == nil {
		return nil, nil, p.at(f, "pass a function literal or a function of this package to guest.Run")
	}
	var params []ast.Expr
	for _, field := range typ.Params.List {
		for range max(len(field.Names), 1) {
			params = append(params, field.Type)
		}
	}
	if len(params) != 2 {
		return nil, nil, p.at(f, "the function for guest.Run has a context and the arguments as parameters")
	}
	return params[1], typ.Results.List[0].Type, nil
}

// at returns an error with the place of a node: the file's name, line and column.
func (p *source) at(n ast.Node, format string, args ...any) error {
	at := p.files.Position(n.Pos())
	return fmt.Errorf("%s:%d:%d: %s", filepath.Base(at.Filename), at.Line, at.Column, fmt.Sprintf(format, args...))
}

// pointee returns the type that a pointer points to, or the type itself.
func pointee(t ast.Expr) ast.Expr {
	if star, ok := t.(*ast.StarExpr); ok {
		return star.X
	}
	return t
}

// tag returns the name and the options of a field in JSON.
func tag(f *ast.Field) (name string, options []string) {
	if f.Tag == nil {
		return "", nil
	}
	text, _ := strconv.Unquote(f.Tag.Value)
	name, rest, _ := strings.Cut(reflect.StructTag(text).Get("json"), ",")
	return name, strings.Split(rest, ",")
}
