package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/internal/testprogram"
	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
)

// outcome is the result of a row of testdata/same.
type outcome struct {
	status         int
	stdout, stderr string
	files          string // names and contents of all files
}

// TestSame runs each row of the tables in testdata/same with the system's commands and with our
// commands, in equal directories. It compares the output, the exit status, and the resulting files.
//
// A row is a command line. Spaces separate words; 'text' and $'text' quote as in bash. "<" names
// the file for stdin, "|" pipes the output to another command, and ";" runs one command after
// another. A leading "~" ignores the text of errors. A leading "!" compares only the exit status,
// because our commands differ on purpose. A leading "+" means that the row changes files, so it
// gets its own directories.
func TestSame(t *testing.T) {
	tables, err := filepath.Glob("testdata/same/*.txt")
	if err != nil || len(tables) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	shared := sharedDirectory{t.TempDir()}
	writeFixtures(t, shared.path, "")
	before := listFiles(t, shared.path)
	t.Cleanup(func() { // runs after the rows, which run concurrently
		if after := listFiles(t, shared.path); after != before {
			t.Errorf("a row without + changed files:\n%s\nwant\n%s", without(after, before), without(before, after))
		}
	})
	for _, table := range tables {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for number, row := range strings.Split(string(text), "\n") {
			if row == "" || row[0] == '#' {
				continue
			}
			name := fmt.Sprintf("%s/%d", strings.TrimSuffix(filepath.Base(table), ".txt"), number+1)
			t.Run(name, func(t *testing.T) {
				// awk changes the working directory of the process, so it can't run in parallel
				if !strings.HasPrefix(name, "awk") {
					t.Parallel()
				}
				compareRow(t, shared, row)
			})
		}
	}
}

func compareRow(t *testing.T, dirs sharedDirectory, row string) {
	marks := row[:len(row)-len(strings.TrimLeft(row, "~!+ "))]
	words := splitRow(t, row[len(marks):])
	for _, word := range programs(words) {
		testprogram.Path(t, word)
	}
	want := dirs.run(t, words, strings.Contains(marks, "+"), runSystem)
	got := dirs.run(t, words, strings.Contains(marks, "+"), runOurs)
	if got.status != want.status {
		t.Errorf("%s\nstatus %d, want %d\nstderr %q, want %q", row, got.status, want.status, got.stderr, want.stderr)
	}
	if strings.Contains(marks, "!") {
		return
	}
	if got.stdout != want.stdout {
		t.Errorf("%s\nstdout:\n%q\nwant\n%q\nstderr %q", row, got.stdout, want.stdout, got.stderr)
	}
	if got.files != want.files {
		t.Errorf("%s\nfiles that differ:\n%s\nwant\n%s", row, without(got.files, want.files), without(want.files, got.files))
	}
	if got, want := withoutHelp(got.stderr), withoutHelp(want.stderr); !strings.Contains(marks, "~") && got != want {
		t.Errorf("%s\nstderr:\n%s\nwant\n%s", row, got, want)
	}
}

// without returns the lines that occur in a but not in b.
func without(a, b string) string {
	var kept strings.Builder
	for line := range strings.Lines(a) {
		if !strings.Contains(b, line) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// withoutHelp removes hints about help from messages, because the hints of our commands differ.
func withoutHelp(stderr string) string {
	var kept []string
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "Try '") || strings.HasPrefix(line, "usage: ") || strings.HasPrefix(line, "Usage: ") {
			continue
		}
		before, _, cut := strings.Cut(line, "; supported: ")
		if cut {
			before += "\n"
		}
		kept = append(kept, before)
	}
	return strings.Join(kept, "")
}

// word is a word of a row. An unquoted word may be an operator.
type word struct {
	text string
	bare bool
}

func splitRow(t *testing.T, row string) []word {
	t.Helper()
	var words []word
	for row = strings.TrimLeft(row, " "); row != ""; row = strings.TrimLeft(row, " ") {
		w := word{bare: true}
		for row != "" && row[0] != ' ' {
			switch {
			case strings.HasPrefix(row, "$'"):
				text, rest, ok := strings.Cut(row[2:], "'")
				if !ok {
					t.Fatalf("no end of a quotation: %s", row)
				}
				w.text, w.bare, row = w.text+unescape(text), false, rest
			case row[0] == '\'':
				text, rest, ok := strings.Cut(row[1:], "'")
				if !ok {
					t.Fatalf("no end of a quotation: %s", row)
				}
				w.text, w.bare, row = w.text+text, false, rest
			default:
				w.text, row = w.text+row[:1], row[1:]
			}
		}
		words = append(words, w)
	}
	return words
}

func unescape(text string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`, `\q`, "'", `\0`, "\x00").Replace(text)
}

func programs(words []word) []string {
	list := []string{words[0].text}
	for i, w := range words[1:] {
		if before := words[i]; before.bare && (before.text == "|" || before.text == ";") {
			list = append(list, w.text)
		}
	}
	return list
}

type runner func(t *testing.T, dir string, words []string, stdin io.Reader, stdout, stderr io.Writer) int

// sharedDirectory is the directory for rows that change no files.
type sharedDirectory struct{ path string }

func (s sharedDirectory) run(t *testing.T, words []word, changes bool, run runner) outcome {
	t.Helper()
	if !changes {
		return runRow(t, words, s.path, run)
	}
	dir := t.TempDir()
	line := ""
	for _, w := range words {
		line += " " + w.text
	}
	writeFixtures(t, dir, line)
	result := runRow(t, words, dir, run)
	result.files = listFiles(t, dir)
	return result
}

func runRow(t *testing.T, words []word, dir string, run runner) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	var line []string
	var stdin io.Reader = strings.NewReader("")
	result := outcome{}
	for i := 0; i <= len(words); i++ {
		operator := "end"
		if i < len(words) {
			operator = ""
			if words[i].bare {
				operator = words[i].text
			}
		}
		switch operator {
		case "<":
			i++
			data, err := os.ReadFile(filepath.Join(dir, words[i].text))
			if err != nil {
				t.Fatal(err)
			}
			stdin = bytes.NewReader(data)
		case "|":
			var pipe bytes.Buffer
			run(t, dir, line, stdin, &pipe, &stderr)
			stdin, line = &pipe, nil
		case ";", "end":
			result.status = run(t, dir, line, stdin, &stdout, &stderr)
			stdin, line = strings.NewReader(""), nil
		default:
			line = append(line, words[i].text)
		}
	}
	result.stdout, result.stderr = stdout.String(), stderr.String()
	return result
}

func runSystem(t *testing.T, dir string, words []string, stdin io.Reader, stdout, stderr io.Writer) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = dir, stdin, stdout, stderr
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "HOME=/home/user", "GREETING=hello"}
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode()
}

func runOurs(t *testing.T, dir string, words []string, stdin io.Reader, stdout, stderr io.Writer) int {
	t.Helper()
	return runCommand(t.Context(), dir, words, stdin, stdout, stderr)
}

// runCommand runs one of our commands as the shell does.
func runCommand(ctx context.Context, dir string, words []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runWith(ctx, Table(nil), []string{"GREETING=hello", "HOME=/home/user", "TZ=UTC"}, dir, words, stdin, stdout, stderr)
}

func runWith(ctx context.Context, table map[string]command.Func, environ []string, dir string, words []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &command.Env{
		Args: words, Dir: dir, Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Environ: func() []string { return environ },
		Getenv: func(name string) string {
			for _, pair := range environ {
				if value, ok := strings.CutPrefix(pair, name+"="); ok {
					return value
				}
			}
			return ""
		},
		Run: func(ctx context.Context, words []string, e *command.Env) int { return runIn(ctx, table, words, e) },
	}
	return e.Run(ctx, words, e)
}

func runIn(ctx context.Context, table map[string]command.Func, words []string, e *command.Env) int {
	run, ok := table[words[0]]
	if !ok {
		fmt.Fprintf(e.Stderr, "%s: command not found\n", words[0])
		return 127
	}
	inner := *e
	inner.Args = words
	return run(ctx, &inner)
}

// fixtures are the files in the directory in which a row runs.
func fixtures() map[string]string {
	return map[string]string{
		"words":     "the quick brown fox\njumps over\nthe lazy dog\n\n\nTHE END\n",
		"numbers":   "10\n9\n2\n33\n1\n10\n-5\n3.14\n\n1e3\n007\n",
		"sizes":     "1K\n512\n2M\n1G\n900K\n3T\n",
		"versions":  "v1.10\nv1.9\nv1.2.3\nv1.2\nv1.10-rc1\nfile10.txt\nfile9.txt\n",
		"passwd":    "root:x:0:0:root:/root:/bin/bash\nalice:x:1000:1000:Alice:/home/alice:/bin/zsh\nbob:x:1001:1001::/home/bob:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
		"data.csv":  "name,age,city\nann,30,Paris\nbob,4,Rome\ncid,100,Paris\ndan,30,\n",
		"repeat":    "a\na\nb\nA\na\nc\nc\nc\n",
		"left":      "apple\nbanana\ncherry\n",
		"right":     "apple\nblueberry\ncherry\ndate\n",
		"noend":     "one\ntwo\nlast without end",
		"empty":     "",
		"tabs":      "a\tb\tc\n  x\ty\n\ttabbed  \n",
		"bytes":     "\x00\x01\x7f\x80\xff\r\nplain\n",
		"utf8":      "héllo wörld\nnaïve café\n日本\n",
		"code.go":   "package main\n\nimport \"fmt\"\n\n// main says hello.\nfunc main() {\n\tfmt.Println(\"hello\") // TODO: more\n\tif x := 1; x > 0 {\n\t\tfmt.Println(x)\n\t}\n}\n",
		"doc.json":  `{"name":"tool","tags":["a","b"],"n":{"x":1,"y":[1,2,{"z":null}]},"f":1.5,"t":true}` + "\n",
		"list.json": `[{"id":1,"name":"ann","age":30},{"id":2,"name":"bob","age":4},{"id":3,"name":"cid","age":30}]` + "\n",
		"lines":     "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n",
		"old.txt":   "alpha\nbeta\ngamma\ndelta\nepsilon\nzeta\neta\ntheta\niota\nkappa\nlambda\nmu\n",
		"new.txt":   "alpha\nBETA\ngamma\ndelta\nepsilon\nzeta\neta\ntheta\niota\nkappa\nlambda\nmu\nnu\n",
		"d/a.txt":   "in a\n",
		"d/b.md":    "# in b\nhello\n",
		"d/.hidden": "hidden\n",
		"d/e/c.txt": "deep hello\n",
		"d/e/f/g":   "deeper\n",
		"sp ace":    "with space\n",
	}
}

// writeFixtures creates the fixtures that line mentions, or all fixtures if line is empty.
func writeFixtures(t *testing.T, dir, line string) {
	t.Helper()
	times := time.Date(2024, 3, 5, 6, 7, 8, 0, time.UTC)
	directories := map[string]bool{"void": true}
	for name, text := range fixtures() {
		if top, _, _ := strings.Cut(name, "/"); !strings.Contains(line, top) && line != "" {
			continue
		}
		directories[filepath.Dir(name)] = true
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		modified := times.Add(time.Duration(len(text)) * time.Minute)
		if err := os.Chtimes(filepath.Join(dir, name), modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "void"), 0o755); err != nil {
		t.Fatal(err)
	}
	for directory := range directories {
		if err := os.Chtimes(filepath.Join(dir, directory), times, times); err != nil {
			t.Fatal(err)
		}
	}
}

func listFiles(t *testing.T, dir string) string {
	t.Helper()
	var list strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s %s", info.Mode(), rel)
		switch {
		case d.Type().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&list, " %q", data)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&list, " -> %s", target)
		}
		list.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list.String()
}
