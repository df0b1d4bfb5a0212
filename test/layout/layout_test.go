package layout

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/version"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	project = "github.com/wasmtool/wasmtool"
	engine  = "github.com/tetratelabs/wazero"
	network = "net/http"
)

// goPackage has the fields of 'go list -json' that these tests need.
type goPackage struct {
	Dir          string
	ImportPath   string
	Standard     bool
	GoFiles      []string
	Imports      []string
	TestGoFiles  []string
	XTestGoFiles []string
}

// packages lists the packages of the main module.
func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json", "./...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if len(list) < 10 {
		t.Fatalf("found only %d packages", len(list))
	}
	return list
}

// rule forbids imports between packages. A path stands for the package and all packages below it.
type rule struct {
	from   []string // "" is the whole project
	except []string // packages that from includes, but that are exempt from the rule
	to     []string // "*" is everything except the standard library
	allow  []string // packages that to includes, but that may be imported
	reason string
}

var rules = []rule{
	{from: []string{""}, except: []string{"cmd"}, to: []string{"cmd"}, reason: "the commands use the library like any other program; the library must not depend on them"},
	{from: []string{""}, except: []string{"test"}, to: []string{"test"}, reason: "test helpers are only for tests"},
	{from: []string{""}, except: []string{"runtime"}, to: []string{engine}, reason: "code with access to the engine's types can disable the sandbox"},
	{from: []string{"runtime/rewrite"}, to: []string{engine}, reason: "the rewriter is tested against the engine, so it must not depend on it"},
	{from: []string{"hostfuncs/capability", "runtime/rewrite"}, to: []string{"*"}, allow: []string{"golang.org/x/net/idna", "internal/each", "internal/lazyregexp", "internal/suggest"}, reason: "these packages are leaves: they have no side effects and can be read on their own"},
	{from: []string{"hostfuncs/files", "hostfuncs/egress", "hostfuncs/kv"}, to: []string{"hostfuncs"}, allow: []string{"hostfuncs/capability", "hostfuncs/internal"}, reason: "only package hostfuncs combines the things that a call can reach"},
	{from: []string{"hostfuncs"}, to: []string{"runtime", "registry", "manifests"}, reason: "what a guest may reach does not depend on the caller or on how the guest runs"},
	{from: []string{"runtime"}, to: []string{"registry", "manifests"}, reason: "the runtime runs modules and does not know about tools"},
	{from: []string{"runtime/internal/abi"}, to: []string{"runtime"}, allow: []string{"runtime/internal/abi", "runtime/internal/guestfs", "runtime/internal/guestmem", "runtime/rewrite"}, reason: "the functions that guests import do not depend on how modules are compiled or how instances are kept"},
	{from: []string{"runtime/internal/pool"}, to: []string{"runtime"}, allow: []string{"runtime/internal/pool", "runtime/internal/abi", "runtime/internal/guestfs", "runtime/internal/guestmem", "runtime/rewrite"}, reason: "the pool creates instances of compiled modules and does not depend on how they were compiled"},
	{from: []string{"runtime/internal/compile"}, to: []string{"runtime"}, allow: []string{"runtime/internal/compile", "runtime/internal/abi", "runtime/rewrite"}, reason: "compiling a module does not run it"},
	{from: []string{"manifests"}, to: []string{"runtime", "registry"}, reason: "a manifest is read without running anything"},
	{from: []string{"internal"}, to: []string{"runtime", "registry", "manifests", "hostfuncs"}, reason: "internal holds helpers that all other packages may use"},
	{from: []string{"cmd/wasmtool/internal/openapi", "cmd/wasmtool/internal/tooldir", "cmd/wasmtool/internal/starter", "cmd/wasmtool/internal/vendoring", "cmd/wasmtool/internal/toolchain", "cmd/wasmtool/internal/typeschema"}, to: []string{"runtime", "registry"}, reason: "documents and packages become files of tools without running anything"},
	{from: []string{"registry/catalogue"}, to: []string{"registry"}, allow: []string{"registry/tool", "registry/internal"}, reason: "the catalogue knows tools but not calls; it checks the rules through functions that it is given"},
	{from: []string{"registry/tool"}, to: []string{"registry", "runtime", "manifests"}, allow: []string{"registry/tool"}, reason: "this leaf holds the types that executors, registries and servers share"},
	{from: []string{"registry/schedule"}, to: []string{"registry", "runtime", "manifests"}, allow: []string{"registry/schedule", "registry/tool", "registry/internal/callerror"}, reason: "when calls run does not depend on how they are prepared"},
	{from: []string{"registry"}, except: []string{"registry/executor", "registry/standard"}, to: []string{"registry/executor"}, reason: "the registry imports no executor, so that a new kind of tool does not change its callers"},
	{from: []string{"registry"}, except: []string{"registry/executor/wasm", "registry/standard"}, to: []string{"runtime"}, reason: "only the executor of WASM tools, and the package that assembles it, know how modules run"},
	{from: []string{"registry"}, except: []string{"registry/executor/wasm", "registry/executor/rest", "registry/standard"}, to: []string{"manifests"}, reason: "only the executors of tools with manifests, and the package that assembles them, read manifests"},
	{from: []string{"registry/executor"}, to: []string{"registry"}, allow: []string{"registry/tool", "registry/executor", "registry/internal/definition"}, reason: "the registry uses executors, not the other way round"},
	{from: []string{"registry/executor/mcp/internal/transport"}, to: []string{"registry"}, allow: []string{"registry/tool"}, reason: "how messages are transported does not depend on their content"},
	{from: []string{"registry/ledger"}, to: []string{"registry", "runtime", "manifests", "hostfuncs"}, allow: []string{"registry/tool", "registry/policy", "registry/internal", "registry/ledger", "hostfuncs/capability"}, reason: "the records of calls do not depend on where tools come from or how they run"},
	{from: []string{"registry/pipeline"}, to: []string{"registry", "runtime", "manifests"}, allow: []string{"registry/pipeline", "registry/catalogue", "registry/ledger", "registry/schedule", "registry/policy", "registry/tool", "registry/internal"}, reason: "the stages of a call do not depend on how the registry was assembled"},
	{from: []string{"registry/config"}, to: []string{"runtime", "manifests", "registry"}, allow: []string{"registry/policy"}, reason: "the operator's file is read without running anything"},
	{from: []string{"registry"}, except: []string{"registry/llm", "registry/agent", "registry/standard"}, to: []string{"registry/llm", "registry/agent"}, reason: "how tools run does not depend on the formats of model providers"},
	{from: []string{"registry/llm"}, to: []string{"registry/standard", "registry/config", "hostfuncs"}, allow: []string{"hostfuncs/capability"}, reason: "definitions and calls need only the public API of the registry"},
	{from: []string{"registry/agent"}, except: []string{"registry/agent/provider"}, to: []string{"hostfuncs/egress", "hostfuncs/secret", network}, reason: "an agent reaches models only through its Model, so that package provider alone handles keys and connections"},
	{from: []string{"registry/agent/provider"}, to: []string{"registry"}, allow: []string{"registry/llm", "registry/agent/provider"}, reason: "a client of a provider only transports messages, and knows neither tools nor agents"},
	{from: []string{"registry/builtins"}, to: []string{"runtime", "manifests", "registry"}, reason: "the built-in tools are files, which are loaded like all other tools"},
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		for _, imp := range p.Imports {
			for _, r := range rules {
				if r.forbids(strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, project), "/"), imp) {
					t.Errorf("%s imports %s: %s", p.ImportPath, imp, r.reason)
				}
			}
		}
	}
}

func (r rule) forbids(from, imported string) bool {
	if !anyHolds(r.from, from) || anyHolds(r.except, from) {
		return false
	}
	target, ours := strings.CutPrefix(imported, project+"/")
	standard := !strings.Contains(strings.Split(imported, "/")[0], ".")
	for _, to := range r.to {
		hit := holds(to, target) && (ours || to == engine || to == network)
		if to == "*" {
			hit = !standard
		}
		if hit && !anyHolds(r.allow, target) {
			return true
		}
	}
	return false
}

// holds reports whether path is equal to base or below it.
func holds(base, path string) bool {
	return base == "" || path == base || strings.HasPrefix(path, base+"/")
}

func anyHolds(bases []string, path string) bool {
	for _, b := range bases {
		if holds(b, path) {
			return true
		}
	}
	return false
}

// A rule about packages that do not exist would have no effect.
func TestRulesNamePackagesThatExist(t *testing.T) {
	list := packages(t)
	exists := func(path string) bool {
		if path == "" || path == "*" || path == engine || path == network {
			return true
		}
		for _, p := range list {
			if holds(project+"/"+path, p.ImportPath) {
				return true
			}
		}
		return false
	}
	for _, r := range rules {
		for _, list := range [][]string{r.from, r.except, r.to, r.allow} {
			for _, path := range list {
				if other, _, _ := strings.Cut(path, "/"); strings.Contains(other, ".") {
					continue // a package of another module
				}
				if !exists(path) {
					t.Errorf("the rule %q names %s, which does not exist", r.reason, path)
				}
			}
		}
	}
}

// The file system of guests uses os.Root. Its vulnerabilities (CVE-2025-22873, CVE-2026-39822,
// CVE-2026-27139, CVE-2026-32282) are fixed in this version of Go, and older versions cannot build
// the project.
func TestGoVersionHasTheFixesOfRoot(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.GoVersion}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := "go" + strings.TrimSpace(string(out)); version.Compare(got, "go1.26.5") < 0 {
		t.Errorf("go.mod lets %s build the project, which needs go1.26.5", got)
	}
}

func TestOnePackageCommentInEachDirectory(t *testing.T) {
	for _, p := range packages(t) {
		var with []string
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if file.Doc != nil {
				with = append(with, name)
			}
		}
		if len(p.GoFiles) > 0 && len(with) != 1 {
			t.Errorf("%s has package comments in %v, want exactly one", p.ImportPath, with)
		}
	}
}

// No exported declaration uses a type of the engine. Otherwise a program could pass a configuration
// that disables the sandbox.
func TestNoEngineTypeIsExported(t *testing.T) {
	for _, p := range packages(t) {
		if strings.Contains(p.ImportPath, "/internal/") {
			continue
		}
		for _, name := range p.GoFiles {
			path := filepath.Join(p.Dir, name)
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			names := engineImports(file)
			for _, decl := range file.Decls {
				for _, used := range exportedSelectors(decl) {
					if names[used] {
						t.Errorf("%s: an exported declaration uses a type of %s", path, used)
					}
				}
			}
		}
	}
}

// engineImports returns the local names of the engine's packages in a file.
func engineImports(file *ast.File) map[string]bool {
	names := make(map[string]bool)
	for _, imp := range file.Imports {
		path, _ := strconv.Unquote(imp.Path.Value)
		if !holds(engine, path) {
			continue
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if imp.Name != nil {
			name = imp.Name.Name
		}
		names[name] = true
	}
	return names
}

// exportedSelectors returns the package names used in what a declaration exports.
func exportedSelectors(decl ast.Decl) []string {
	var parts []ast.Node
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() || !exportedReceiver(d.Recv) {
			return nil
		}
		parts = append(parts, d.Type)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					parts = append(parts, exportedParts(s.Type)...)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() && s.Type != nil {
					parts = append(parts, s.Type)
				}
			}
		}
	}
	var used []string
	for _, part := range parts {
		ast.Inspect(part, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok {
					used = append(used, x.Name)
				}
			}
			return true
		})
	}
	return used
}

// exportedParts returns the types of the exported and embedded fields if t is a struct, and
// otherwise t itself.
func exportedParts(t ast.Expr) []ast.Node {
	s, ok := t.(*ast.StructType)
	if !ok {
		return []ast.Node{t}
	}
	var parts []ast.Node
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 || f.Names[0].IsExported() {
			parts = append(parts, f.Type)
		}
	}
	return parts
}

func exportedReceiver(recv *ast.FieldList) bool {
	if recv == nil {
		return true
	}
	t := recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	id, ok := t.(*ast.Ident)
	return ok && id.IsExported()
}
