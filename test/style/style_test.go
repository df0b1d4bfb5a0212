package style

import (
	"bufio"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumn is the last column of a comment, with tabs of four.
const maxColumn = 100

var only = flag.String("only", "", "check only files below `DIR`, relative to the repository")

// skipped matches the paths of third-party text, of generated text, and of this package, which
// lists the phrases to avoid.
var skipped = regexp.MustCompile(`(^|/)(\.git|testdata|node_modules|target)(/|$)|^test/style(/|$)`)

// TestGoFollowsTheStyleSheet checks comments, strings, names and widths of all Go files.
func TestGoFollowsTheStyleSheet(t *testing.T) {
	walk(t, ".go", func(name string, text []byte) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		report := func(at token.Pos, format string, args ...any) {
			t.Errorf("%s:%d: %s", name, set.Position(at).Line, fmt.Sprintf(format, args...))
		}
		lines := strings.Split(string(text), "\n")
		for _, group := range file.Comments {
			checkPhrases(group.Text(), func(found, instead string) {
				report(group.Pos(), "comment has %q; write: %s", found, instead)
			})
			if strings.HasPrefix(group.Text(), "Output:") || strings.HasPrefix(group.Text(), "Unordered output:") {
				continue // the expected output of an example
			}
			for _, c := range group.List {
				first := set.Position(c.Pos()).Line
				for i := range strings.Split(c.Text, "\n") {
					line := lines[first-1+i]
					if width(line) > maxColumn && !directive(line) {
						t.Errorf("%s:%d: comment ends past column %d", name, first+i, maxColumn)
					}
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if value, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && strings.Contains(value, " ") && !strings.HasSuffix(name, "_test.go") {
					checkPhrases(value, func(found, instead string) {
						report(n.Pos(), "string has %q; write: %s", found, instead)
					})
				}
			case *ast.FuncDecl:
				if strings.HasSuffix(name, "_test.go") && questionName.MatchString(n.Name.Name) {
					report(n.Pos(), "%s: name the subject and the behaviour", n.Name.Name)
				}
			}
			for _, id := range declared(n) {
				if types.Universe.Lookup(id.Name) != nil {
					report(id.Pos(), "%s shadows a builtin", id.Name)
				}
			}
			return true
		})
	})
}

// TestDocumentsFollowTheStyleSheet checks the phrases of all Markdown files outside code, and the
// width of the changelog outside code and tables.
func TestDocumentsFollowTheStyleSheet(t *testing.T) {
	walk(t, ".md", func(name string, text []byte) {
		var paragraph strings.Builder
		start, line, code := 0, 0, false
		flush := func() {
			prose := codeSpan.ReplaceAllString(paragraph.String(), "`x`")
			checkPhrases(prose, func(found, instead string) {
				t.Errorf("%s:%d: %q; write: %s", name, start, found, instead)
			})
			paragraph.Reset()
		}
		scanner := bufio.NewScanner(strings.NewReader(string(text)))
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			line++
			trimmed := strings.TrimSpace(scanner.Text())
			if strings.HasPrefix(trimmed, "```") {
				code = !code
			}
			if code || trimmed == "" || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "#") {
				flush()
			}
			if code || name == "CONTRIBUTING.md" && strings.HasPrefix(trimmed, "|") { // the words to avoid
				continue
			}
			if name == "CHANGELOG.md" && width(scanner.Text()) > maxColumn && !strings.HasPrefix(trimmed, "|") {
				t.Errorf("%s:%d: the line ends past column %d", name, line, maxColumn)
			}
			if paragraph.Len() == 0 {
				start = line
			}
			paragraph.WriteString(trimmed + " ")
		}
		flush()
	})
}

var (
	questionName = regexp.MustCompile(`^(Test|Fuzz|Benchmark)(Which|Who|Whom|Whose|What|Where|When|Why)[A-Z]`)
	codeSpan     = regexp.MustCompile("`[^`]*`")
)

func checkPhrases(text string, report func(found, instead string)) {
	for _, p := range phrases {
		if found := p.found(text); found != "" {
			report(found, p.instead)
		}
	}
}

// walk calls the function check with each file that has the extension and is not skipped.
func walk(t *testing.T, extension string, check func(name string, text []byte)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(filepath.Join(root, *only), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if skipped.MatchString(name) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if d.IsDir() || filepath.Ext(name) != extension {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			check(name, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// declared returns the identifiers that n declares, without fields and methods, which need a
// qualifier and so hide nothing.
func declared(n ast.Node) []*ast.Ident {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Recv == nil {
			return []*ast.Ident{n.Name}
		}
		return names(n.Recv)
	case *ast.FuncType:
		return append(append(names(n.TypeParams), names(n.Params)...), names(n.Results)...)
	case *ast.TypeSpec:
		return []*ast.Ident{n.Name}
	case *ast.ValueSpec:
		return n.Names
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			return identifiers(n.Lhs...)
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			return identifiers(n.Key, n.Value)
		}
	}
	return nil
}

func names(list *ast.FieldList) (found []*ast.Ident) {
	if list != nil {
		for _, field := range list.List {
			found = append(found, field.Names...)
		}
	}
	return found
}

func identifiers(list ...ast.Expr) (found []*ast.Ident) {
	for _, e := range list {
		if id, ok := e.(*ast.Ident); ok {
			found = append(found, id)
		}
	}
	return found
}

// width returns the number of columns of a line, with tabs of four.
func width(line string) int {
	return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
}

// directive reports whether a line can't be broken: it is a directive or contains a link.
func directive(line string) bool {
	text := strings.TrimSpace(line)
	return strings.HasPrefix(text, "//go:") || strings.Contains(text, "://")
}
