package standard_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

const (
	examples = "../../guest-examples"
	goldens  = "../../testdata/guests"
)

// languageTools are the example tools that are not written in Go: C, Rust and AssemblyScript. Each
// is built from one source as a command and as a reactor.
var languageTools = []string{"wordcount", "slug", "title"}

// languageForms are the ABIs, with the directory of each below the tool's directory.
var languageForms = []struct{ name, folder string }{{"command", "."}, {"reactor", "reactor"}}

// golden is a tool's file in testdata/guests: calls and their results, which are the same for both
// ABIs.
type golden struct {
	// Structured means that the output is also the structured result.
	Structured bool         `json:"structured"`
	Cases      []goldenCase `json:"cases"`
}

type goldenCase struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	// RepeatText and RepeatOutput repeat the argument text and the output that many times; 0 leaves
	// them unchanged.
	RepeatText   int          `json:"repeat_text"`
	Output       string       `json:"output"`
	RepeatOutput int          `json:"repeat_output"`
	Error        *goldenError `json:"error"`
}

// goldenError is a failure: its code, and a part of the text that a model reads.
type goldenError struct {
	Code tool.Code `json:"code"`
	Says string    `json:"says"`
}

func (c goldenCase) arguments(t *testing.T) json.RawMessage {
	t.Helper()
	if c.RepeatText == 0 {
		return c.Arguments
	}
	var arguments map[string]any
	if err := json.Unmarshal(c.Arguments, &arguments); err != nil {
		t.Fatal(err)
	}
	text, ok := arguments["text"].(string)
	if !ok {
		t.Fatal("there is no text to repeat")
	}
	arguments["text"] = strings.Repeat(text, c.RepeatText)
	long, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return long
}

func (c goldenCase) output() string {
	return strings.Repeat(c.Output, max(c.RepeatOutput, 1))
}

func TestLanguages(t *testing.T) {
	for _, name := range languageTools {
		g := readGolden(t, name)
		for _, form := range languageForms {
			t.Run(name+"/"+form.name, func(t *testing.T) {
				tools, spec := openLanguageTool(t, name, form.folder)
				for _, c := range g.Cases {
					t.Run(c.Name, func(t *testing.T) {
						result, err := tools.Execute(t.Context(), tool.Call{Tool: spec.Name, Arguments: c.arguments(t)})
						if c.Error != nil {
							checkFailure(t, result, err, *c.Error)
							return
						}
						if err != nil {
							t.Fatal(err)
						}
						want, got := c.output(), result.Text()
						if g.Structured {
							got = strings.TrimSuffix(got, "\n") // a command adds a newline
						}
						if got != want {
							t.Errorf("got %.200q, want %.200q", got, want)
						}
						if !g.Structured {
							want = ""
						}
						if got := string(result.Structured); got != want {
							t.Errorf("structured: got %q, want %q", got, want)
						}
					})
				}
			})
		}
	}
}

func checkFailure(t *testing.T, result tool.Result, err error, want goldenError) {
	t.Helper()
	if got := tool.CodeOf(err); got != want.Code {
		t.Errorf("got %v, want the code %q", err, want.Code)
	}
	if got := result.Text(); !result.IsError || !strings.Contains(got, want.Says) {
		t.Errorf("got %.200q, want a failure that says %q", got, want.Says)
	}
}

// The two manifests of a tool differ only in the ABI.
func TestLanguages_formsHaveOneInterface(t *testing.T) {
	for _, name := range languageTools {
		_, command := openLanguageTool(t, name, languageForms[0].folder)
		_, reactor := openLanguageTool(t, name, languageForms[1].folder)
		if reactor.Name != command.Name+"_reactor" {
			t.Errorf("the names are %q and %q", command.Name, reactor.Name)
		}
		reactor.Name, reactor.Source = command.Name, command.Source
		if !reflect.DeepEqual(command, reactor) {
			t.Errorf("the command is\n%+v\nand the reactor\n%+v", command, reactor)
		}
	}
}

// The benchmark "compile" measures how long a module takes to compile. Without a cache, the first
// call of a tool waits for this.
func BenchmarkLanguages(b *testing.B) {
	for _, name := range languageTools {
		for _, form := range languageForms {
			b.Run(name+"/"+form.name+"/compile", func(b *testing.B) {
				for b.Loop() {
					tools, spec := openLanguageTool(b, name, form.folder)
					if err := tools.Prepare(b.Context(), spec.Name); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(name+"/"+form.name+"/call", func(b *testing.B) {
				tools, spec := openLanguageTool(b, name, form.folder)
				if err := tools.Prepare(b.Context(), spec.Name); err != nil {
					b.Fatal(err)
				}
				call := tool.Call{Tool: spec.Name, Arguments: json.RawMessage(`{"text":"The quick brown fox jumps over the lazy dog"}`)}
				for b.Loop() {
					if _, err := tools.Execute(b.Context(), call); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// openLanguageTool returns a registry with one tool. The tool's module is compiled again, and the
// tool sees the workspace of the golden files.
func openLanguageTool(tb testing.TB, name, folder string) (*registry.Registry, tool.Spec) {
	tb.Helper()
	tools, err := standard.New(standard.Options{
		Sources: standard.Sources{
			Tool:       filepath.Join(examples, name, folder),
			NoBuiltins: true,
		},
		Workspace: filepath.Join(goldens, "workspace"),
		NoCache:   true,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := tools.Close(); err != nil {
			tb.Error(err)
		}
	})
	infos := tools.Tools().List(catalogue.Filter{})
	if len(infos) != 1 {
		tb.Fatalf("got %d tools, want one", len(infos))
	}
	return tools, infos[0].Spec
}

func readGolden(t *testing.T, name string) golden {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(goldens, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(content, &g); err != nil {
		t.Fatalf("%s.json: %v", name, err)
	}
	if len(g.Cases) == 0 {
		t.Fatalf("%s.json has no cases", name)
	}
	return g
}
