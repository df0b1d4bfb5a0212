package sdk

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

var update = flag.Bool("update", false, "write testdata/transcript.txt from the program in Go")

// cacheDir is the directory of compiled modules for all tests.
var cacheDir string

func TestMain(m *testing.M) {
	runtime.SelfCompiler() // does not return in the child process
	os.Exit(guesttest.RunWithDir(m, func(dir string) error {
		cacheDir = dir
		return nil
	}))
}

const transcriptFile = "testdata/transcript.txt"

// forms are the forms of a module, with the flags that build it in Go.
var forms = []struct {
	name  string
	flags []string
}{{"reactor", []string{guesttest.Reactor}}, {"command", nil}}

// languages are the languages whose modules are in programs.
var languages = []string{"c", "rust", "assemblyscript"}

// module returns the committed module of a language.
func module(t testing.TB, language, form string) []byte {
	t.Helper()
	path := filepath.Join("programs", language, "protocol.wasm")
	if form == "reactor" {
		path = filepath.Join("programs", language, "reactor", "protocol_reactor.wasm")
	}
	wasm, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// The SDKs of all languages do the same with the host, in both forms.
func TestLanguagesSpeakOneProtocol(t *testing.T) {
	for _, form := range forms {
		t.Run("go/"+form.name, func(t *testing.T) {
			if !*update {
				testlevel.Long(t, "building the program in Go, and compiling it")
			}
			got := transcript(t, guesttest.BuildGo(t, "../../guest/internal/protocol", form.flags...), form.name)
			if *update && form.flags != nil {
				if err := os.WriteFile(transcriptFile, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			compare(t, got)
		})
		for _, language := range languages {
			t.Run(language+"/"+form.name, func(t *testing.T) {
				compare(t, transcript(t, module(t, language, form.name), form.name))
			})
		}
	}
}

// compare fails the test for each entry that differs from the transcript.
func compare(t *testing.T, got string) {
	t.Helper()
	text, err := os.ReadFile(transcriptFile)
	if err != nil {
		t.Fatal(err)
	}
	want, entries := strings.Split(string(text), "\n\n"), strings.Split(got, "\n\n")
	if len(want) != len(entries) {
		t.Fatalf("there are %d entries, want %d", len(entries), len(want))
	}
	for i := range want {
		if want[i] != entries[i] {
			t.Errorf("got\n%s\nwant\n%s", entries[i], want[i])
		}
	}
}

// transcript runs all steps, and returns what came of each.
func transcript(t *testing.T, wasm []byte, form string) string {
	l := newLab(t, wasm, form)
	var all strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&all, "== %s: %s %.500s\n", s.name, s.tool, s.arguments)
		for _, line := range l.play(t, s) {
			fmt.Fprintln(&all, line)
		}
		all.WriteByte('\n')
	}
	return all.String()
}

// play makes one call, and returns what it reports and its result.
func (l *lab) play(t *testing.T, s step) (lines []string) {
	t.Helper()
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		if !s.silent {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	result, err := l.Execute(t.Context(), tool.Call{
		Tool: s.tool, Arguments: json.RawMessage(s.input()), ID: "call_7", Session: "a session", Message: "m", IdempotencyKey: "k", WorkingDirectory: "/workspace/notes",
		OnLog:      func(level slog.Level, text string) { say("log %v %q", level, text) },
		OnProgress: func(done, total float64, message string) { say("progress %v/%v %q", done, total, message) },
		OnUpdate: func(u tool.Update) {
			if u.Progress == nil {
				say("update %q %s %q", u.Title, u.Metadata, texts(u.Content))
			}
		},
	})
	s.silent = false
	if err != nil {
		// A command writes its message to its log, which may end with a line feed.
		text := strings.Replace(strings.TrimSpace(result.Text()), "the tool failed: exit status 1\n", "the tool says: ", 1)
		say("failed %s: %q", tool.CodeOf(err), text)
		return lines
	}
	for _, c := range result.Content {
		if s.tool == "quote" {
			break // the text is the JSON, in which SDKs may order members as they like
		}
		say("%s %s %.2000q %x", c.Type, c.MIMEType, c.Text, c.Data)
		if r := c.Resource; r != nil {
			say("%s %s %q %x", r.URI, r.MIMEType, r.Text, r.Blob)
		}
	}
	if result.Structured != nil {
		say("structured %s", canonical(t, result.Structured))
	}
	if result.Title != "" || result.Metadata != nil {
		say("title %q metadata %s", result.Title, result.Metadata)
	}
	return lines
}

func texts(blocks []tool.Content) (all []string) {
	for _, c := range blocks {
		all = append(all, c.Text)
	}
	return all
}

// canonical writes JSON with sorted names and one form of each string.
func canonical(t *testing.T, text json.RawMessage) string {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
