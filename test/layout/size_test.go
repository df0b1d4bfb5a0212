package layout

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Limits that keep code readable: the lines of files and functions, the files of packages, the
// exported methods of types, and the fields of options. Files and functions are checked in all
// modules, except in tests.
const (
	maxFile     = 500
	maxFunction = 90
	maxFiles    = 25
	maxMethods  = 25
	maxOptions  = 15
)

// larger has the packages that may have more than maxFiles files, with the reason for each.
var larger = map[string]string{
	"guest-examples/shell/commands": "each command of the shell has a file, and the commands share only text.go",
	"cmd/wasmtool/internal/cli":     "each command has a file, and the commands share the options of tools and the terminal",
}

func TestFilesFunctionsAndPackagesAreSmall(t *testing.T) {
	files := make(map[string]int) // by directory
	fset := token.NewFileSet()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || name != ".." && strings.HasPrefix(name, ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if ast.IsGenerated(file) {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		files[filepath.ToSlash(dir)]++
		if lines := fset.File(file.FileStart).LineCount(); lines > maxFile {
			t.Errorf("%s has %d lines, more than %d", path, lines, maxFile)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if lines := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1; lines > maxFunction {
				t.Errorf("%s: %s has %d lines, more than %d", path, f.Name.Name, lines, maxFunction)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, n := range files {
		if larger[dir] == "" && n > maxFiles {
			t.Errorf("%s has %d files, more than %d", dir, n, maxFiles)
		}
	}
	for dir := range larger {
		if files[dir] <= maxFiles {
			t.Errorf("%s has %d files; remove it from the exceptions", dir, files[dir])
		}
	}
}

// Promoted methods are also counted, because the documentation lists them.
func TestExportedTypesHaveFewMethodsAndOptions(t *testing.T) {
	list, exports := exportData(t)
	imported := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, path := range list {
		pkg, err := imported.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			object, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || !object.Exported() || object.IsAlias() {
				continue
			}
			if options, is := object.Type().Underlying().(*types.Struct); is && strings.HasSuffix(name, "Options") && options.NumFields() > maxOptions {
				t.Errorf("%s.%s has %d fields, more than %d: group them in structs", path, name, options.NumFields(), maxOptions)
			}
			var methods []string
			for method := range types.NewMethodSet(withPointer(object.Type())).Methods() {
				if method.Obj().Exported() {
					methods = append(methods, method.Obj().Name())
				}
			}
			if len(methods) > maxMethods {
				t.Errorf("%s.%s has %d exported methods, more than %d: %s", path, name, len(methods), maxMethods, strings.Join(methods, " "))
			}
		}
	}
}

// withPointer returns the pointer type of a type, which has all its methods.
func withPointer(t types.Type) types.Type {
	if types.IsInterface(t) {
		return t
	}
	return types.NewPointer(t)
}

// exportData lists the packages of the main module that other modules can import. exports has, for
// each package, the file with the compiler's export data.
func exportData(t *testing.T) (list []string, exports map[string]string) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Name,Export,Module", "./...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports = make(map[string]string)
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath, Name, Export string
			Module                   *struct{ Main bool }
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list, exports
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Main && p.Name != "main" && p.Export != "" {
			list = append(list, p.ImportPath)
		}
	}
}
