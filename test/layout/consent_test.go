package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// strangers are the packages that handle what guests, models, clients, servers and files say. None
// of them may consent to a call for a person.
var strangers = []string{
	"hostfuncs", "internal", "manifests", "runtime", "registry/audit", "registry/builtins", "registry/catalogue", "registry/compat", "registry/config",
	"registry/executor", "registry/internal", "registry/llm", "registry/mcpserver", "registry/policy", "registry/schedule", "registry/standard",
}

// A tool.Call has an AutoConfirm only if a program that makes the call sets it.
func TestNoStrangerSetsAutoConfirm(t *testing.T) {
	checked := make(map[string]bool)
	for _, p := range packages(t) {
		for _, stranger := range strangers {
			if !holds(project+"/"+stranger, p.ImportPath) {
				continue
			}
			checked[stranger] = true
			for _, name := range p.GoFiles {
				path := filepath.Join(p.Dir, name)
				file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
				if err != nil {
					t.Fatal(err)
				}
				ast.Inspect(file, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && id.Name == "AutoConfirm" {
						t.Errorf("%s uses AutoConfirm; only a program that makes a call for a person may set it", path)
					}
					return true
				})
			}
		}
	}
	for _, stranger := range strangers {
		if !checked[stranger] {
			t.Errorf("there is no package %s", stranger)
		}
	}
}
