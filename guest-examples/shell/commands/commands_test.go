package commands

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
)

// TestAnswers tests commands that differ from GNU's on purpose: values that are the same in every
// sandbox, and errors that name an alternative.
func TestAnswers(t *testing.T) {
	tests := []struct {
		line, stdin    string
		stdout, stderr string // parts of the output
		status         int
	}{
		{line: "whoami", stdout: "user\n"},
		{line: "hostname", stdout: "sandbox\n"},
		{line: "uname", stdout: "WASI\n"},
		{line: "uname -a", stdout: "WASI sandbox 1.0 preview1 wasm32 WASI\n"},
		{line: "uname -sm", stdout: "WASI wasm32\n"},
		{line: "arch", stdout: "wasm32\n"},
		{line: "nproc", stdout: "1\n"},
		{line: "id", stdout: "uid=1000(user) gid=1000(user) groups=1000(user)\n"},
		{line: "id -un", stdout: "user\n"},
		{line: "id -u", stdout: "1000\n"},
		{line: "id user", stdout: "uid=1000(user) gid=1000(user) groups=1000(user)\n"},
		{line: "id root", stderr: "'root': no such user", status: 1},
		{line: "touch -", stderr: "use ./- for a file of this name", status: 1},
		{line: "which cat", stdout: "/bin/cat\n"},
		{line: "which git", status: 1},
		{line: "help", stdout: "awk"},
		{line: "help sed", stdout: "usage: sed"},
		{line: "help git", stderr: "no help topics match 'git'", status: 1},
		{line: "cat --help", stdout: "options: -n --number"},
		{line: "find --help", stdout: "-maxdepth"},
		{line: "ls -ld d", stdout: "drwxr-xr-x 1 user user 4096 Mar  5  2024 d\n"},
		{line: "ls -l d/a.txt", stdout: "-rw-r--r-- 1 user user 5 Mar  5  2024 d/a.txt\n"},
		{line: "ls -lh code.go", stdout: " 140 "},
		{line: "ls -ln d/a.txt", stdout: " 1000 1000 "},
		{line: "ls -l --time-style=long-iso d/a.txt", stdout: " 2024-03-05 06:12 d/a.txt"},
		{line: "ls -s d/a.txt", stdout: "4 d/a.txt\n"},
		{line: "tree d", stdout: "d\n├── a.txt\n├── b.md\n└── e\n    ├── c.txt\n    └── f\n        └── g\n\n3 directories, 4 files\n"},
		{line: "tree -L 1 -d d", stdout: "d\n└── e\n\n2 directories\n"},
		{line: "tree -a -I e d", stdout: "d\n├── .hidden\n├── a.txt\n└── b.md\n"},
		{line: "file words bytes d empty missing", stdout: "words: ASCII text\nbytes: application/octet-stream\nd: directory\nempty: empty\nmissing: cannot open"},
		{line: "file utf8", stdout: "utf8: Unicode text, UTF-8 text\n"},
		{line: "stat words", stdout: "File: words\n  Size: 54"},
		{line: "wc -m utf8", stdout: "26 utf8\n"},
		{line: "grep -c caf\\b", stdin: "cafe\u0301\ncaf\u0301\n", stdout: "0\n", status: 1},
		{line: "grep -o a[[:space:]]b", stdin: "a\u00a0b\n", stdout: "a\u00a0b\n"},
		{line: "rev utf8", stdout: "dlröw olléh\n"},
		{line: "jq .name doc.json", stdout: "\"tool\"\n"},
		{line: "jq -c .n doc.json", stdout: "{\"x\":1,\"y\":[1,2,{\"z\":null}]}\n"},
		{line: "jq .[ doc.json", stderr: "compile error", status: 3},
		{line: "jq . words", stderr: "invalid character", status: 2},
		{line: "jq", stderr: "no filter", status: 2},
		{line: `jq -n -c {a:1,$__loc__}`, stdout: `{"__loc__":{"file":"<top-level>","line":1},"a":1}`},
		{line: `jq -n -c [1]|debug("m")|trimstr(1)?`, stderr: `["DEBUG:","m"]`},
		{line: `jq -n "yes"|toboolean`, stderr: "toboolean", status: 5},
		{line: `jq -n "axa"|trimstr("a")`, stdout: "x"},
		{line: "rm -I words", stderr: "there is no terminal", status: 1},
		{line: "rm --interactive=once words", stderr: "there is no terminal", status: 1},
		{line: "ls -i words", stderr: "invalid option -- 'i'", status: 2},
		{line: "stat -t words", stderr: "invalid option -- 't'", status: 1},
		{line: "hostname -I", stderr: "invalid option -- 'I'", status: 1},
		{line: "shuf --random-source=words words", stderr: "unrecognized option", status: 1},
		{line: "tree -s d", stdout: "[          5]  a.txt"},
		{line: "du -BK d/a.txt", stdout: "4K\td/a.txt"},
		{line: "awk --version", stdout: "awk"},
		{line: "timeout -s MONKEY 1 true", stderr: "invalid signal", status: 125},
		{line: "timeout -s KILL 0.01 sleep 100", status: 137},
		{line: "timeout --preserve-status -v 0.01 sleep 100", stderr: "sending signal TERM to command 'sleep'", status: 143},
		{line: "jq --bogus", stderr: "--bogus; see jq --help", status: 2},
		{line: "zip -r - d", stdout: "PK"},

		{line: "ln -s words link", stderr: "can't create links, so copy with cp instead", status: 1},
		{line: "tail -f words", stderr: "-f is not supported", status: 1},
		{line: "rm -i words", stderr: "there is no terminal", status: 1},
		{line: "cp -i words x", stderr: "-i is not supported", status: 1},
		{line: "mv -i words x", stderr: "there is no terminal", status: 1},
		{line: "rm -rf /", stderr: "dangerous to operate recursively on '/'", status: 1},
		{line: "find . -ok rm {} ;", stderr: "use -exec", status: 1},
		{line: "find . -bogus", stderr: "unknown predicate `-bogus'", status: 1},
		{line: `grep \(a\)\1 words`, stderr: "back-references such as", status: 2},
		{line: "grep -P (?=x) words", stderr: "lookaround", status: 2},
		{line: `grep \d words`, stdout: "lazy dog", stderr: "grep -P"},
		{line: `grep a\{2000\} words`, stderr: "larger than the limit of 1000", status: 2},
		{line: `sed s/\(a\)\1/x/ words`, stderr: "back-references such as", status: 1},
		{line: "sed 1e words", stderr: "there are no programs to run", status: 1},
		{line: "sed s/a/b/e words", stderr: "there are no programs to run", status: 1},
		{line: "sed bnowhere words", stderr: "can't find label for jump to `nowhere'", status: 1},
		{line: `awk BEGIN{system("ls")}`, stderr: "no programs to run", status: 2},
		{line: `awk BEGIN{"ls"|getline}`, stderr: "no programs to run", status: 2},
		{line: `awk BEGIN{print|"sh"}`, stderr: "no programs to run", status: 2},
		{line: "awk {print} missing", stderr: `cannot open "missing" (No such file or directory)`, status: 2},
		{line: "diff -y left right", stderr: "use -u", status: 2},
		{line: "date -s now", stderr: "cannot set date", status: 1},
		{line: "env TZ=Nowhere/Town date", stderr: "unknown time zone 'Nowhere/Town'; use a name such as Europe/Berlin", status: 1},
		{line: "env TZ=Nowhere/Town ls -l words", stdout: "words", stderr: "unknown time zone", status: 1},
		{line: "env TZ=Asia/Tokyo ls -l --time-style=full-iso words", stdout: "2024-03-05 16:01:08.000000000 +0900 words"},
		{line: "touch --time=ctime words", stderr: "use atime or mtime", status: 1},
		{line: "xargs -p", stderr: "there is no terminal", status: 1},
		{line: "tar rf a.tar d", stderr: "use -c, -x or -t", status: 2},
		{line: "tar cjf a.tar d", stderr: "only -z can compress", status: 2},
		{line: "tar cJf a.tar d", stderr: "only -z can compress", status: 2},
		{line: "tar caf a.tar.xz d", stderr: "only gzip can be written", status: 2},
		{line: "tar -I zstd -cf a.tar d", stderr: "only -z can compress", status: 2},
		{line: "tar cf - --mtime=bogus d", stderr: "'bogus' is not a date", status: 2},
		{line: "tar cf - --mode=bogus d", stderr: "invalid mode 'bogus'", status: 2},
		{line: "cat -Q", stderr: "cat: invalid option -- 'Q'; supported: -n --number", status: 1},
		{line: "env nothing", stderr: "nothing: command not found", status: 127},
		{line: "stat -f .", stderr: "no file systems", status: 1},
		{line: "mktemp -u abXXXXde", stdout: "de\n"},
		{line: "mktemp -u -p void XXX", stdout: "void/"},
		{line: "mktemp -q -d nothing/XXX", status: 1},
		{line: "mktemp abc", stderr: "too few X's", status: 1},
		{line: "shuf -i 1-99999999999", stderr: "invalid input range", status: 1},
	}
	dir := t.TempDir()
	writeFixtures(t, dir, "")
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			status := runCommand(t.Context(), dir, strings.Split(tt.line, " "), strings.NewReader(tt.stdin), &stdout, &stderr)
			if status != tt.status {
				t.Errorf("status %d, want %d; stderr %q", status, tt.status, &stderr)
			}
			if !strings.Contains(stdout.String(), tt.stdout) {
				t.Errorf("stdout %q, want %q in it", &stdout, tt.stdout)
			}
			if !strings.Contains(stderr.String(), tt.stderr) || tt.stderr == "" && stderr.Len() > 0 {
				t.Errorf("stderr %q, want %q in it", &stderr, tt.stderr)
			}
		})
	}
}

// TestEveryCommandHasHelp also checks that the parser accepts each option of a specification.
func TestEveryCommandHasHelp(t *testing.T) {
	names := []string{}
	for _, s := range all(nil) {
		names = append(names, s.name)
		if text := s.help(); !strings.HasPrefix(text, "usage: "+s.name) {
			t.Errorf("%s: help is %q", s.name, text)
		}
		if s.options == rawArguments {
			continue
		}
		seen := map[string]bool{}
		for _, opt := range readOptions(s.options).all {
			for _, name := range opt.names {
				if seen[name] {
					t.Errorf("%s has the option %s twice", s.name, name)
				}
				seen[name] = true
			}
		}
	}
	if !slices.IsSorted(names) || len(names) != len(Table(nil)) {
		t.Errorf("the names are not sorted, or one occurs twice: %v", names)
	}
}

// closedPipe is a pipe without a reader.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestWritersEndWithoutReader tests pipelines such as yes | head -1: an endless writer stops
// without a message when its reader is closed.
func TestWritersEndWithoutReader(t *testing.T) {
	dir := t.TempDir()
	for _, line := range [][]string{
		{"yes"},
		{"seq", "1", "1000000000000"},
		{"cat", "-"},
		{"sed", ":a;p;ba"},
		{"shuf", "-r", "-e", "a"},
		{"awk", "BEGIN{while(1)print}"},
		{"jq", "-n", "range(1e12)"},
		{"tr", "a", "b"},
		{"xargs", "-n1", "yes"},
		{"tee"},
		{"grep", "y"},
		{"env", "yes"},
		{"base64"},
		{"xxd"},
	} {
		t.Run(line[0], func(t *testing.T) {
			var stderr bytes.Buffer
			status := runCommand(t.Context(), dir, line, endless{}, closedPipe{}, &stderr)
			want := brokenPipe
			if line[0] == "xargs" {
				want = 125 // xargs returns 125 because its command ended with brokenPipe
			}
			if status != want || stderr.Len() > 0 {
				t.Errorf("status %d, want %d; stderr %q", status, want, &stderr)
			}
		})
	}
}

// endless is an input that never ends.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = "y\n"[i%2]
	}
	return len(b), nil
}

// TestCommandsEndWithTheContext runs commands that would run forever. Each returns when its context
// is cancelled.
func TestCommandsEndWithTheContext(t *testing.T) {
	dir := t.TempDir()
	writeFixtures(t, dir, "")
	for _, line := range [][]string{
		{"yes"},
		{"sleep", "1000"},
		{"sed", ":a;ba"},
		{"cat"},
		{"wc"},
		{"sort", "-c"},
		{"grep", "x"},
		{"head", "-n", "-1000000000000"},
		{"tail", "-c", "1"},
		{"awk", "BEGIN{while(1);}"},
		{"jq", "-n", "def f: f; f"},
		{"uniq"},
		{"cut", "-c1"},
		{"tr", "-d", "y"},
		{"seq", "inf"},
		{"find", ".", "-exec", "sleep", "1000", ";"},
		{"xargs", "-I{}", "true"},
		{"cmp", "-", "-"},
		{"md5sum"},
		{"gzip", "-t"},
		{"od"},
		{"tac"},
	} {
		t.Run(strings.Join(line, " "), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			done := make(chan int, 1)
			go func() { done <- runCommand(ctx, dir, line, endless{}, io.Discard, io.Discard) }()
			select {
			case status := <-done:
				if status == 0 {
					t.Errorf("status 0: the command ended by itself, so the test shows nothing")
				}
			case <-time.After(20 * time.Second):
				t.Error("it goes on")
			}
		})
	}
}

func TestTimeoutEndsACommand(t *testing.T) {
	status := runCommand(t.Context(), t.TempDir(), []string{"timeout", "0.02", "yes"}, strings.NewReader(""), io.Discard, io.Discard)
	if status != 124 {
		t.Errorf("status %d, want 124", status)
	}
}

// TestHostile runs commands on malicious input. Each returns an error that names the exceeded
// limit.
func TestHostile(t *testing.T) {
	long := strings.Repeat("x", maxLine+2)
	deep := strings.Repeat("(", 100000)
	tests := []struct {
		name   string
		line   []string
		stdin  io.Reader
		stderr string
	}{
		{"an endless line", []string{"cut", "-c1"}, io.MultiReader(strings.NewReader(long), neverEnding('x')), "line is longer than the limit of 32 MiB"},
		{"sort of an endless input", []string{"sort"}, endless{}, "larger than the limit of 64 MiB"},
		{"tac of an endless input", []string{"tac"}, endless{}, "larger than the limit of 64 MiB"},
		{"jq of an endless value", []string{"jq", "."}, io.MultiReader(strings.NewReader(`"`), neverEnding('x')), "larger than the limit of 64 MiB"},
		{"a pattern space that grows", []string{"sed", ":a;s/.*/&&/;ta"}, strings.NewReader("a\n"), "larger than the limit of 64 MiB"},
		{"a hold space that grows", []string{"sed", ":a;H;G;ba"}, strings.NewReader("abc\n"), "larger than the limit of 64 MiB"},
		{"a long replacement", []string{"sed", "s/y/" + strings.Repeat("x", 1<<20) + "/"}, strings.NewReader("a\n"), ""},
		{"head of all but a lot", []string{"head", "-n", "-99999999999"}, endless{}, "larger than the limit of 64 MiB"},
		{"a deep expression of expr", append([]string{"expr"}, strings.Split(deep, "")...), nil, "too deep"},
		{"a deep expression of test", append([]string{"test"}, strings.Split(deep+"a", "")...), nil, "too deep"},
		{"a deep expression of find", append([]string{"find"}, strings.Split(deep, "")...), nil, "more than 100 nested parentheses"},
		{"a deep pattern", []string{"grep", "-E", deep}, nil, "grep: "},
		{"a long pattern", []string{"grep", strings.Repeat("a", maxPattern+1)}, nil, "longer than 64 KiB"},
		{"a set of tr that is too long", []string{"tr", "[x*999999999]", "y"}, nil, "a set has more than the limit of"},
		{"a field of printf that is too wide", []string{"printf", "%s", "%999999999999d"}, nil, ""},
		{"invalid UTF-8 in awk", []string{"awk", "{print toupper($0), length($0)}"}, strings.NewReader("\xff\xfe\x00\n"), ""},
		{"NUL in jq", []string{"jq", "."}, strings.NewReader("\x00"), "invalid character"},
		{"deep JSON", []string{"jq", "."}, strings.NewReader(strings.Repeat("[", 1000000)), "exceeded max depth"},
		{"an archive that leads out", []string{"tar", "xf", "-"}, archive(t, tar.Header{Name: "../out", Typeflag: tar.TypeReg}), "is outside the target directory"},
		{"an archive with a link", []string{"tar", "xf", "-"}, archive(t, tar.Header{Name: "l", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}), "a link, which the sandbox can't create"},
		{"an archive with a device", []string{"tar", "xf", "-"}, archive(t, tar.Header{Name: "null", Typeflag: tar.TypeChar}), "neither a file nor a directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.stdin == nil {
				tt.stdin = strings.NewReader("")
			}
			dir := t.TempDir()
			var stderr bytes.Buffer
			status := runBounded(t, dir, tt.line, tt.stdin, &stderr)
			if !strings.Contains(stderr.String(), tt.stderr) || tt.stderr != "" && status == 0 {
				t.Errorf("status %d, stderr %q, want %q in it", status, clip(stderr.String(), 500), tt.stderr)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
				t.Errorf("it left %v (%v)", entries, err)
			}
			if _, err := os.Lstat(filepath.Join(filepath.Dir(dir), "out")); err == nil {
				t.Error("it wrote outside the directory")
			}
		})
	}
}

// runBounded runs a command with an input limit of 1 MiB, so that the test takes little time.
func runBounded(t *testing.T, dir string, line []string, stdin io.Reader, stderr io.Writer) int {
	t.Helper()
	specs := all(nil)
	at := slices.IndexFunc(specs, func(s spec) bool { return s.name == line[0] })
	p := newProcess(t.Context(), &command.Env{
		Args: line, Dir: dir, Stdin: stdin, Stdout: io.Discard, Stderr: stderr,
		Getenv: func(string) string { return "" }, Environ: func() []string { return nil },
	}, line[0])
	p.maximum = 1 << 20
	return p.exit(specs[at].start(p))
}

// neverEnding is an endless sequence of one byte.
type neverEnding byte

func (n neverEnding) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(n)
	}
	return len(b), nil
}

func archive(t *testing.T, header tar.Header) io.Reader {
	t.Helper()
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	if err := w.WriteHeader(&header); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &packed
}

func TestUnpackingIsBounded(t *testing.T) {
	u := &unpacker{dir: t.TempDir(), left: 10}
	if _, err := io.ReadAll(u.bounded(neverEnding('x'))); err != errUnpacked {
		t.Errorf("got %v, want %v", err, errUnpacked)
	}
	u.entries = maxEntries
	if _, err := u.place("one more"); err != errEntries {
		t.Errorf("got %v, want %v", err, errEntries)
	}
}

// A name of mktemp has a random character for each X of the template.
func TestTemporaryNamesHaveTheLengthOfTheTemplate(t *testing.T) {
	dir := t.TempDir()
	for range 50 {
		var stdout bytes.Buffer
		runCommand(t.Context(), dir, []string{"mktemp", "a.XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX.b"}, strings.NewReader(""), &stdout, io.Discard)
		if len(stdout.String()) != len("a..b\n")+36 {
			t.Fatalf("the name is %q", &stdout)
		}
	}
}
