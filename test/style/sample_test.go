package style

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

var seed = flag.Uint64("seed", 0, "print 100 comments and 100 texts for users, drawn with this `SEED`")

// TestSample selects random comments and texts for a reader who marks those that need a second
// reading.
func TestSample(t *testing.T) {
	if *seed == 0 {
		t.Skip("it checks nothing: run with -seed N -v to draw a sample")
	}
	comments, texts := samples(t)
	random := rand.New(rand.NewPCG(*seed, 0))
	for _, kind := range [][]string{comments, texts} {
		random.Shuffle(len(kind), func(i, j int) { kind[i], kind[j] = kind[j], kind[i] })
		for _, text := range kind[:min(100, len(kind))] {
			t.Log(text)
		}
	}
}

// samples returns the comments of the Go code. As texts, it returns the paragraphs of documents and
// all strings of at least four words. Each item begins with its place.
func samples(t *testing.T) (comments, texts []string) {
	walk(t, ".go", func(name string, text []byte) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for _, group := range file.Comments {
			at := set.Position(group.Pos()).Line
			code := lines[at-1] // the line of a trailing comment
			if strings.HasPrefix(strings.TrimSpace(code), "//") {
				code = lines[min(set.Position(group.End()).Line, len(lines)-1)]
			}
			if len(group.Text()) > 20 {
				comments = append(comments, name+":"+strconv.Itoa(at)+": "+group.Text()+"    "+strings.TrimSpace(code))
			}
		}
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if value, err := strconv.Unquote(literal.Value); err == nil && strings.Count(value, " ") >= 3 {
					texts = append(texts, name+":"+strconv.Itoa(set.Position(literal.Pos()).Line)+": "+value)
				}
			}
			return true
		})
	})
	walk(t, ".md", func(name string, text []byte) {
		for paragraph := range strings.SplitSeq(string(text), "\n\n") {
			if !strings.HasPrefix(paragraph, "```") && strings.Count(paragraph, " ") >= 8 {
				texts = append(texts, name+": "+paragraph)
			}
		}
	})
	return comments, texts
}
