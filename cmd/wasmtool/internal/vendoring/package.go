package vendoring

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
)

//go:embed stdlib.txt
var standardModules string

//go:embed native.txt
var nativePackages string

// IsNative reports whether a package is known to work only with native code.
func IsNative(name string) bool {
	return slices.ContainsFunc(strings.Fields(nativePackages), func(n string) bool { return project(n) == project(name) })
}

var (
	imported = lazyregexp.New(`(?m)^([ \t]*)(?:from[ \t]+([A-Za-z][\w.]*)[ \t]+import\b|import[ \t]+([A-Za-z][\w., \t]*))`)
	required = lazyregexp.New(`(?m)^Requires-Dist: *([A-Za-z0-9._-]+)[^;\n]*$`)
)

// pythonPackage returns the package that the files are.
func (t *tree) pythonPackage() (*Package, error) {
	p := &Package{Native: t.native, Files: t.files}
	hasModules := false
	for name, content := range t.files {
		top, rest, _ := strings.Cut(name, "/")
		p.entries = append(p.entries, top)
		switch {
		case rest == "METADATA" && strings.HasSuffix(top, metadata):
			_, p.Version, _ = strings.Cut(strings.TrimSuffix(top, metadata), "-")
			for _, m := range required.Regexp().FindAllSubmatch(content, -1) {
				p.wants = append(p.wants, string(m[1]))
			}
		case path.Ext(name) == ".py" && !strings.Contains(name, "/tests/"):
			hasModules = true
			p.addImports(string(content))
		}
	}
	slices.Sort(p.entries)
	p.entries = slices.Compact(p.entries)
	for _, entry := range p.entries {
		module := strings.TrimSuffix(entry, ".py")
		// A package may come with parts whose names begin with an underscore.
		if pythonModule.MatchString(module) && (p.Name == "" || p.Name[0] == '_') {
			p.Name = module
		}
	}
	if p.Name == "" || !hasModules {
		return nil, errors.New("has no modules of Python; name a wheel, or the directory with the modules of a package")
	}
	return p, p.refuseNative()
}

// addImports adds the modules that a source imports, except modules of the standard library. An
// import that is indented is in a function or under a condition.
func (p *Package) addImports(source string) {
	for _, m := range imported.Regexp().FindAllStringSubmatch(source, -1) {
		for _, module := range strings.Split(m[2]+m[3], ",") {
			module, _, _ = strings.Cut(strings.TrimSpace(module), " ") // import a as b
			module, _, _ = strings.Cut(module, ".")
			switch {
			case module == "" || slices.Contains(strings.Fields(standardModules), module):
			case m[1] == "":
				p.wants = append(p.wants, module)
			default:
				p.mayWant = append(p.mayWant, module)
			}
		}
	}
}

// npmPackage returns the package that the files are.
func (t *tree) npmPackage() (*Package, error) {
	var about struct {
		Name, Version, Type, Module string
		Exports                     json.RawMessage
		Dependencies                map[string]string
	}
	text, found := t.files["package.json"]
	if !found {
		return nil, errors.New("has no package.json; name the directory of one package, such as node_modules/NAME")
	}
	if err := json.Unmarshal(text, &about); err != nil {
		return nil, bad("package.json", "is not valid: "+err.Error())
	}
	if len(about.Name) > maxPath || !npmPackage.MatchString(about.Name) || about.Name == "node_modules" {
		return nil, bad("package.json", "has no name of a package")
	}
	p := &Package{
		Name: about.Name, Version: about.Version, Native: t.native, entries: []string{about.Name},
		Files: make(map[string][]byte), wants: slices.Collect(maps.Keys(about.Dependencies)),
		CommonJS: about.Type != "module" && about.Module == "" && about.Exports == nil,
	}
	for name, content := range t.files {
		p.Files[about.Name+"/"+name] = content
	}
	return p, p.refuseNative()
}

func (p *Package) refuseNative() error {
	if IsNative(p.Name) {
		return fmt.Errorf("is %s, which has native code and cannot run in the sandbox", p.Name)
	}
	return nil
}

const metadata = ".dist-info" // ends the names of directories about packages of Python

// key is the same for entries of vendor that replace each other: a module and a directory, names
// that differ in case, and the metadata of all versions of a package.
func key(name string) string {
	base, found := strings.CutSuffix(strings.ToLower(name), metadata)
	if found {
		base, _, _ = strings.Cut(base, "-")
		return base + metadata
	}
	return strings.TrimSuffix(base, ".py")
}

// project is the same for all spellings of the name of a project, and for its entry in vendor.
func project(name string) string {
	return strings.NewReplacer("-", "_", ".", "_").Replace(strings.TrimSuffix(key(name), metadata))
}

// Missing returns the sorted names of what packages need, and of what they may need, that is not
// among the names that are there: files and directories in vendor and next to the script.
func Missing(packages []*Package, there []string) (needs, may []string) {
	have := make(map[string]bool)
	for _, name := range there {
		have[project(name)] = true
	}
	missing := func(wanted func(*Package) []string) (names []string) {
		for _, p := range packages {
			for _, name := range wanted(p) {
				if !have[project(name)] {
					have[project(name)] = true
					names = append(names, name)
				}
			}
		}
		slices.Sort(names)
		return names
	}
	needs = missing(func(p *Package) []string { return p.wants })
	return needs, missing(func(p *Package) []string { return p.mayWant })
}
