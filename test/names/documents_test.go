package names

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goName matches a name of Go in the table of a document: `package.Name` or `package.Type.Member`.
var goName = regexp.MustCompile("`([a-z]+)\\.([A-Z][A-Za-z]*)(?:\\.([A-Z][A-Za-z]*))?`")

// TestNamesPageNamesWhatExists checks the Go names in docs/names.md against the source.
func TestNamesPageNamesWhatExists(t *testing.T) {
	declared := map[string]bool{}
	err := filepath.WalkDir("../../registry", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, name := range declarations(file) {
			declared[file.Name.Name+"."+name] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../docs/names.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		for _, m := range goName.FindAllStringSubmatch(cells[2], -1) {
			name := strings.Trim(m[0], "`")
			if checked++; name != "context.Context" && !declared[name] && !(m[1] == "registry" && declared["pipeline."+strings.TrimPrefix(name, "registry.")]) {
				t.Errorf("%s does not exist", name)
			}
		}
	}
	if checked < 40 {
		t.Errorf("checked %d names", checked)
	}
}

// declarations returns the names that a file declares: functions, types, and fields and methods as
// Type.Member.
func declarations(file *ast.File) []string {
	var names []string
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				receiver := d.Recv.List[0].Type
				if star, ok := receiver.(*ast.StarExpr); ok {
					receiver = star.X
				}
				if owner, ok := receiver.(*ast.Ident); ok {
					name = owner.Name + "." + name
				}
			}
			names = append(names, name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				s, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				names = append(names, s.Name.Name)
				if fields, ok := s.Type.(*ast.StructType); ok {
					for _, field := range fields.Fields.List {
						for _, name := range field.Names {
							names = append(names, s.Name.Name+"."+name.Name)
						}
					}
				}
			}
		}
	}
	return names
}
