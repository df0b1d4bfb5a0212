package commands

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wasmtool/wasmtool/guest-examples/internal/corpora"
)

// TestOptionsHaveEffects runs the rows of testdata/same and testdata/effects.txt with and without
// each of their options. Every option of every command must change the output, the exit status or
// the files of at least one row, because it works or because the command refuses it. The options in
// testdata/noeffect.txt need no effect, for the reasons given there.
func TestOptionsHaveEffects(t *testing.T) {
	tables, err := filepath.Glob("testdata/same/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	e := effects{specs: map[string]spec{}, seen: map[string]bool{}, shared: t.TempDir()}
	writeLinked(t, e.shared, "")
	before := listFiles(t, e.shared)
	for _, s := range all(nil) {
		e.specs[s.name] = s
		e.try(t, "", []word{{text: s.name}, {text: "--help"}})
	}
	for _, table := range append(tables, "testdata/effects.txt") {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for row := range strings.SplitSeq(string(text), "\n") {
			if plain := strings.TrimLeft(row, "~!+ "); plain != "" && plain[0] != '#' {
				e.try(t, row[:len(row)-len(plain)], splitRow(t, plain))
			}
		}
	}
	if after := listFiles(t, e.shared); after != before {
		t.Errorf("a row without + changed files, with or without one of its options:\n%s\nwant\n%s", without(after, before), without(before, after))
	}
	var results corpora.Results
	tables = nil // of options; commands with the same table share their code
	for _, s := range all(nil) {
		if s.options != rawArguments {
			if slices.Contains(tables, s.options) {
				continue
			}
			tables = append(tables, s.options)
		}
		for _, name := range s.optionNames() {
			if s.options != rawArguments {
				name = dashed(name)
			}
			results.Add(s.name+" "+name, e.seen[s.key(name)])
		}
	}
	corpora.Check(t, "testdata/noeffect.txt", results)
}

// rawOptions are the options of the commands that parse their own arguments, and the number of
// values of each.
var rawOptions = map[string]map[string]int{
	"chmod": {"-R": 0, "-v": 0, "-c": 0, "-f": 0},
	"echo":  {"-n": 0, "-e": 0, "-E": 0},
	"jq": {
		"-c": 0, "-r": 0, "-j": 0, "-a": 0, "-n": 0, "-s": 0, "-e": 0, "-R": 0, "-S": 0, "-M": 0, "-C": 0, "-f": 1, "--tab": 0, "--indent": 1,
		"--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--args": 0, "--jsonargs": 0,
	},
	"find": {
		"-L": 0, "-H": 0, "-P": 0, "-name": 1, "-iname": 1, "-path": 1, "-ipath": 1, "-wholename": 1, "-iwholename": 1, "-lname": 1, "-regex": 1, "-iregex": 1,
		"-type": 1, "-xtype": 1, "-size": 1, "-mtime": 1, "-mmin": 1, "-newer": 1, "-newermt": 1, "-empty": 0, "-perm": 1, "-true": 0, "-false": 0,
		"-readable": 0, "-writable": 0, "-executable": 0, "-user": 1, "-group": 1, "-uid": 1, "-gid": 1, "-follow": 0, "-xdev": 0, "-mount": 0, "-noleaf": 0,
		"-print": 0, "-print0": 0, "-printf": 1, "-delete": 0, "-prune": 0, "-quit": 0, "-ls": 0, "-maxdepth": 1, "-mindepth": 1, "-depth": 0, "-d": 0,
		"-regextype": 1, "-not": 0, "!": 0, "-a": 0, "-and": 0, "-o": 0, "-or": 0, ",": 0,
	},
}

// key names an option among the options that were seen. Commands with the same table of options
// share their code.
func (s spec) key(option string) string {
	if s.options == rawArguments {
		return s.name + " " + option
	}
	return s.options + " " + strings.TrimLeft(option, "-")
}

// TestRawOptions checks that rawOptions has all options that the help of a command lists.
func TestRawOptions(t *testing.T) {
	for _, s := range all(nil) {
		known := rawOptions[s.name]
		if known == nil {
			continue
		}
		for field := range strings.FieldsSeq(s.note) {
			field = strings.TrimRight(field, ";")
			if _, ok := known[field]; strings.HasPrefix(field, "-") && !ok && !strings.HasPrefix(field, "-exec") {
				t.Errorf("%s: the help lists %s", s.name, field)
			}
		}
	}
}

// optionNames returns the first name of each option of a command.
func (s spec) optionNames() []string {
	if s.options == rawArguments {
		return slices.Sorted(maps.Keys(rawOptions[s.name]))
	}
	set := readOptions(s.options)
	var names []string
	if set.number {
		names = append(names, "#")
	}
	for _, opt := range set.all {
		names = append(names, opt.names[0])
	}
	return names
}

// effects collects the options that have an effect.
type effects struct {
	specs  map[string]spec
	seen   map[string]bool // by spec.key
	shared string          // the directory for rows that change no files
}

// try runs a row without each of its options whose effect has not been seen yet. A row whose result
// depends on chance or on the time shows nothing.
func (e *effects) try(t *testing.T, marks string, row []word) {
	t.Helper()
	isOperator := func(operators string) func(word) bool {
		return func(w word) bool { return w.bare && strings.Contains(operators, w.text) }
	}
	run := func(row []word) outcome {
		if strings.Contains(marks, "+") {
			return runAlone(t, row)
		}
		return runLinked(t, e.shared, row)
	}
	var with outcome
	ran, steady := false, true
	for start := 0; start < len(row) && steady; {
		end := len(row)
		if n := slices.IndexFunc(row[start:], isOperator("|;")); n >= 0 {
			end = start + n
		}
		last := end // of the arguments
		if n := slices.IndexFunc(row[start:end], isOperator("<")); n >= 0 {
			last = start + n
		}
		s := e.specs[row[start].text]
		for _, name := range s.given(row[start+1 : last]) {
			if e.seen[s.key(name)] {
				continue
			}
			if !ran {
				with, ran = run(row), true
				steady = run(row) == with
			}
			less := slices.Concat(row[:start+1], s.without(row[start+1:last], name), row[last:])
			e.seen[s.key(name)] = steady && run(less) != with
		}
		start = end + 1
	}
}

// given returns the names of the options among the arguments, each once. It returns none if the
// arguments are invalid.
func (s spec) given(arguments []word) []string {
	if s.options == rawArguments {
		var names []string
		for _, name := range texts(arguments) {
			if _, known := rawOptions[s.name][name]; known && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return names
	}
	if s.name == "" {
		return nil
	}
	opts, _, err := parseOptions(s.options, texts(arguments))
	if err != nil {
		return nil
	}
	var names []string
	for _, opt := range opts {
		if opt.name != operandOption && !slices.Contains(names, opt.name) {
			names = append(names, opt.name)
		}
	}
	return names
}

// without returns the arguments without an option.
func (s spec) without(arguments []word, name string) []word {
	if s.options == rawArguments {
		var kept []word
		for i := 0; i < len(arguments); i++ {
			if arguments[i].text == name {
				i += rawOptions[s.name][name]
			} else {
				kept = append(kept, arguments[i])
			}
		}
		return kept
	}
	opts, operands, _ := parseOptions(s.options, texts(arguments))
	set := readOptions(s.options)
	var kept []word
	add := func(text string) { kept = append(kept, word{text: text}) }
	for _, opt := range opts {
		known := set.byName(opt.name)
		switch {
		case opt.name == name:
		case opt.name == operandOption:
			add(opt.value)
		case opt.name == "#":
			add("-" + opt.value)
		case len(opt.name) > 1 && (known.kind == needsValue || opt.value != ""):
			add("--" + opt.name + "=" + opt.value)
		case known.kind == needsValue:
			add("-" + opt.name)
			add(opt.value)
		default:
			add(dashed(opt.name) + opt.value)
		}
	}
	if set.placed {
		return kept
	}
	add("--")
	for _, operand := range operands {
		add(operand)
	}
	return kept
}

func (s optionSet) byName(name string) knownOption {
	for _, opt := range s.all {
		if opt.names[0] == name {
			return opt
		}
	}
	return knownOption{}
}

func texts(words []word) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = w.text
	}
	return list
}

// runAlone runs a row in a new directory. The outcome includes the files.
func runAlone(t *testing.T, row []word) outcome {
	t.Helper()
	dir := t.TempDir()
	writeLinked(t, dir, "words d "+strings.Join(texts(row), " "))
	result := runLinked(t, dir, row)
	result.files = listFiles(t, dir)
	return result
}

// writeLinked creates the fixtures that line mentions, links to some of them, and the file noise,
// which levels of compression pack differently.
func writeLinked(t *testing.T, dir, line string) {
	t.Helper()
	writeFixtures(t, dir, line)
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 0, 40_000)
	for len(noise) < 30_000 {
		at := random.IntN(20)
		noise = append(noise, "the quick brown fox jumps"[at:at+1+random.IntN(5)]...)
	}
	if err := os.WriteFile(filepath.Join(dir, "noise"), noise, 0o644); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": "words", "link.d": "d", "link.e": "d/e"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
}

// runLinked runs a row with our commands. A command whose output gets too long loses its reader,
// because without its options it may write forever.
func runLinked(t *testing.T, dir string, row []word) outcome {
	t.Helper()
	var sent echoing
	var result outcome
	synctest.Test(t, func(t *testing.T) { // with a clock that needs no time
		result = runRow(t, row, dir, func(t *testing.T, dir string, words []string, stdin io.Reader, stdout, stderr io.Writer) int {
			environ := []string{"GREETING=hello", "HOME=/home/user", "TZ=Asia/Tokyo"}
			return runWith(t.Context(), Table(&sent), environ, dir, words, stdin, &shortWriter{stdout, 1 << 20}, stderr)
		})
	})
	return result
}

// echoing is a server that answers with the request. Some paths have other answers: /moved is a
// redirect, /bad a failure, /once a failure the first time, and /packed is compressed.
type echoing struct{ requests int }

func (e *echoing) RoundTrip(r *http.Request) (*http.Response, error) {
	e.requests++
	var answer bytes.Buffer
	fmt.Fprintf(&answer, "%s %s\n", r.Method, r.URL)
	if _, ok := r.Context().Deadline(); ok {
		answer.WriteString("with a time limit\n")
	}
	if err := errors.Join(r.Header.Write(&answer), copyAll(&answer, r.Body)); err != nil {
		return nil, err
	}
	status, header := http.StatusOK, http.Header{}
	switch r.URL.Path {
	case "/moved":
		status = http.StatusFound
		header.Set("Location", "/echo")
	case "/bad":
		status = http.StatusNotFound
	case "/once":
		if e.requests == 1 {
			status = http.StatusServiceUnavailable
		}
	case "/packed":
		header.Set("Content-Encoding", "gzip")
		plain := bytes.Clone(answer.Bytes())
		answer.Reset()
		w := gzip.NewWriter(&answer)
		_, err := w.Write(plain)
		if err := errors.Join(err, w.Close()); err != nil {
			return nil, err
		}
	}
	return &http.Response{Status: fmt.Sprint(status), StatusCode: status, Header: header, Body: io.NopCloser(&answer)}, nil
}

func copyAll(w io.Writer, r io.Reader) error {
	_, err := io.Copy(w, r)
	return err
}

// shortWriter is a pipe whose reader ends after left bytes.
type shortWriter struct {
	io.Writer
	left int
}

func (s *shortWriter) Write(b []byte) (int, error) {
	if s.left -= len(b); s.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return s.Writer.Write(b)
}
