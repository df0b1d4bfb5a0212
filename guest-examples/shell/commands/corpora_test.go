package commands

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/itchyny/gojq"

	"github.com/wasmtool/wasmtool/guest-examples/internal/corpora"
	"github.com/wasmtool/wasmtool/guest-examples/internal/testprogram"
	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
)

// TestMain lets a link to the test program run the command that the link is named after.
func TestMain(m *testing.M) {
	if os.Getenv("WASMTOOL_COMMANDS") == "links" {
		os.Exit(runLink())
	}
	os.Exit(m.Run())
}

func runLink() int {
	dir, err := os.Getwd()
	if err != nil {
		return 126
	}
	words := append([]string{filepath.Base(os.Args[0])}, os.Args[1:]...)
	run := func(ctx context.Context, words []string, e *command.Env) int { return runIn(ctx, Table(nil), words, e) }
	return run(context.Background(), words, &command.Env{
		Dir: dir, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ, Getenv: os.Getenv, Run: run,
	})
}

// linkCommands creates a directory with a link for each command. ln is not among them, because the
// suites create links to prepare their cases.
func linkCommands(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name := range Table(nil) {
		if name == "ln" {
			continue
		}
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestBusybox runs the tests of busybox for the commands that this package has.
func TestBusybox(t *testing.T) {
	root := filepath.Join(corpora.Dir(t, "busybox"), "testsuite")
	files, err := filepath.Glob(filepath.Join(root, "*.tests"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in %s: %v", root, err)
	}
	s := suite{name: "busybox", root: root, links: linkCommands(t)}
	for _, file := range files {
		s.run(t, strings.TrimSuffix(filepath.Base(file), ".tests"), file)
	}
	old, err := filepath.Glob(filepath.Join(root, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range old {
		s.runOld(t, filepath.Base(filepath.Dir(file)), file)
	}
	corpora.Check(t, "testdata/corpora/busybox.txt", s.results)
}

// TestToybox runs the tests of toybox for the commands that this package has.
func TestToybox(t *testing.T) {
	root := filepath.Join(corpora.Dir(t, "toybox"), "tests")
	files, err := filepath.Glob(filepath.Join(root, "*.test"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in %s: %v", root, err)
	}
	s := suite{name: "toybox", root: root, links: linkCommands(t)}
	for _, file := range files {
		s.run(t, strings.TrimSuffix(filepath.Base(file), ".test"), file)
	}
	corpora.Check(t, "testdata/corpora/toybox.txt", s.results)
}

// suite runs the test files of a suite.
type suite struct {
	name, root, links string
	results           corpora.Results
}

// limitOfFile ends a file of tests that hangs.
const limitOfFile = 2 * time.Minute

// tested reports whether the command is one to test. busybox as a command is the one under test.
func tested(name string) bool { return name != "ln" && Table(nil)[name] != nil }

// run runs a file of tests with bash, in an empty directory.
func (s *suite) run(t *testing.T, name, file string) {
	t.Helper()
	if !tested(name) {
		return
	}
	prelude, err := filepath.Abs("testdata/corpora/prelude.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if s.name == "busybox" {
		// The files read testing.sh from the working directory, and other files next to it.
		if err := os.CopyFS(dir, os.DirFS(s.root)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "testing.sh"), []byte(". "+prelude+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := "exec 9>&1 >/dev/null; . " + prelude + "; . " + file
	for _, line := range s.bash(t, name, dir, script) {
		verdict, title, ok := strings.Cut(line, "\t")
		if ok {
			s.results.Add(name+": "+title, verdict == "pass")
		}
	}
}

// runOld runs a test of busybox that passes if all its commands succeed.
func (s *suite) runOld(t *testing.T, name, file string) {
	t.Helper()
	if !tested(name) || slices.Contains([]string{"README", "TODO"}, filepath.Base(file)) {
		return
	}
	dir := t.TempDir()
	lines := s.bash(t, name, dir, "exec 9>&1 >/dev/null; busybox() { \"$@\"; }; export -f busybox; if bash -e "+file+"; then echo pass >&9; else echo fail >&9; fi")
	s.results.Add(name+"/"+filepath.Base(file), slices.Contains(lines, "pass"))
}

// bash runs a script with the system's bash and our commands, and returns the lines of its output.
func (s *suite) bash(t *testing.T, name, dir, script string) []string {
	t.Helper()
	bash := testprogram.Path(t, "bash")
	ctx, cancel := context.WithTimeout(t.Context(), limitOfFile)
	defer cancel()
	c := exec.CommandContext(ctx, bash, "-c", script)
	c.Dir = dir
	c.WaitDelay = time.Second
	c.Env = append(os.Environ(), "WASMTOOL_COMMANDS=links", "PATH="+s.links+":"+os.Getenv("PATH"), "THEIRS="+os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC",
		"SUITE="+s.name, "WORK="+t.TempDir(), "CMDNAME="+name, "C="+filepath.Join(s.links, name), "FILES="+filepath.Join(s.root, "files"), "TESTDIR="+dir,
		"d="+s.root, "tsdir="+s.root, "bindir="+s.links, "TMPDIR="+t.TempDir())
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); ctx.Err() != nil {
		t.Errorf("%s: %v", name, err)
	}
	if os.Getenv("SHOW") != "" {
		t.Logf("%s\n%s", name, &stderr)
	}
	var lines []string
	for in := bufio.NewScanner(&stdout); in.Scan(); {
		lines = append(lines, in.Text())
	}
	return lines
}

// TestJq runs the tests of jq. A test is a filter, an input and the expected outputs. After %%FAIL,
// it is a filter that must fail.
func TestJq(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(corpora.Dir(t, "jq"), "tests", "jq.test"))
	if err != nil {
		t.Fatal(err)
	}
	var results corpora.Results
	for group := range strings.SplitSeq(string(text), "\n\n") {
		var lines []string
		for line := range strings.Lines(group) {
			if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		switch {
		case len(lines) > 1 && strings.HasPrefix(lines[0], "%%FAIL"):
			_, status := runFilter(t, lines[1], "null")
			results.Add("fails: "+lines[1], status != 0)
		case len(lines) > 1:
			out, status := runFilter(t, lines[0], lines[1])
			// As in the suite's own runner, an error after the expected outputs does not count.
			results.Add(lines[0]+" on "+lines[1], (status == 0 || status == jqFailed) && sameValues(out, strings.Join(lines[2:], "\n")))
		}
	}
	corpora.Check(t, "testdata/corpora/jq.txt", results)
}

func runFilter(t *testing.T, filter, input string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var stdout, stderr bytes.Buffer
	status := runCommand(ctx, t.TempDir(), []string{"jq", "-c", "--", filter}, strings.NewReader(input), &stdout, &stderr)
	return stdout.String(), status
}

// sameValues reports whether both texts have the same sequence of JSON values.
func sameValues(a, b string) bool {
	x, y := newJSONDecoder(strings.NewReader(a)), newJSONDecoder(strings.NewReader(b))
	for {
		var v, w any
		errX, errY := x.Decode(&v), y.Decode(&w)
		if errX != nil || errY != nil {
			return errX == errY
		}
		if gojq.Compare(plainNumbers(v), plainNumbers(w)) != 0 {
			return false
		}
	}
}

// plainNumbers replaces the numbers of a decoded value with the type that gojq compares.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64() // an infinite number is itself
		return f
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = plainNumbers(v[key])
		}
	}
	return v
}
