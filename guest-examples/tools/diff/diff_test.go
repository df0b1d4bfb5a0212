package diff

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wasmtool/wasmtool/guest-examples/internal/testprogram"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

func run(t *testing.T, args Args) (string, error) {
	t.Helper()
	files := fstest.MapFS{
		"a.txt":      {Data: []byte("one\ntwo\n")},
		"sub/b":      {Data: []byte("\xef\xbb\xbfone\r\ntwo\r\n")},
		"wide.txt":   {Data: []byte("\xff\xfeo\x00n\x00e\x00\n\x002\x00\n\x00")},
		"marked.txt": {Data: []byte("\xef\xbb\xbfone\ntwo\n")},
		"narrow.txt": {Data: []byte("one\n2\n")},
		"bin":        {Data: []byte("a\x00b")},
		"big":        {Data: make([]byte, 0)},
		"pipe":       {Mode: fs.ModeNamedPipe},
	}
	files["big"].Data = bytes.Repeat([]byte("x\n"), MaxInput/2+1)
	var out strings.Builder
	err := Run(files, args, &out)
	return out.String(), err
}

func TestRun(t *testing.T) {
	numbered := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintln(&b, i)
		}
		return b.String()
	}
	for name, test := range map[string]struct {
		args Args
		want string
	}{
		"equal": {Args{OldText: new("a\n"), NewText: new("a\n")}, "no difference\n"},
		"empty": {Args{OldText: new(""), NewText: new("")}, "no difference\n"},
		"from nothing": {
			Args{OldText: new(""), NewText: new("a\nb\n")},
			"--- old_text\n+++ new_text\n@@ -0,0 +1,2 @@\n+a\n+b\n",
		},
		"to nothing": {
			Args{OldText: new("a\n"), NewText: new("")},
			"--- old_text\n+++ new_text\n@@ -1 +0,0 @@\n-a\n",
		},
		"no line break at the end": {
			Args{OldText: new("a\nb"), NewText: new("a\nb\n")},
			"--- old_text\n+++ new_text\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
		},
		"context": {
			Args{OldText: new(numbered(1, 20)), NewText: new(strings.Replace(numbered(1, 20), "10\n", "ten\n", 1)), Context: new(toolabi.Int(1))},
			"--- old_text\n+++ new_text\n@@ -9,3 +9,3 @@\n 9\n-10\n+ten\n 11\n",
		},
		"two hunks": {
			Args{OldText: new(numbered(1, 9)), NewText: new(numbered(2, 8)), Context: new(toolabi.Int(3))},
			"--- old_text\n+++ new_text\n@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -6,4 +5,3 @@\n 6\n 7\n 8\n-9\n",
		},
		"one hunk": {
			Args{OldText: new(numbered(1, 8)), NewText: new(numbered(2, 7))},
			"--- old_text\n+++ new_text\n@@ -1,8 +1,6 @@\n-1\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n",
		},
		"line ends": {
			Args{OldFile: new("a.txt"), NewFile: new("/workspace/sub/b"), Format: Stat},
			"2 lines added, 2 lines removed (2 before, 2 after)\nnote: only the line ends differ (CRLF and LF)\nnote: the encodings differ: a.txt is UTF-8, sub/b is UTF-8 with a byte order mark\n",
		},
		"a file and UTF-16": {
			Args{OldFile: new("a.txt"), NewFile: new("wide.txt")},
			"--- a.txt\n+++ wide.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\nnote: the encodings differ: a.txt is UTF-8, wide.txt is UTF-16 (little-endian)\n",
		},
		"only a byte order mark": {
			Args{OldFile: new("marked.txt"), NewFile: new("a.txt")},
			"no difference\nnote: the encodings differ: marked.txt is UTF-8 with a byte order mark, a.txt is UTF-8\n",
		},
		"only the encoding": {
			Args{OldFile: new("wide.txt"), NewFile: new("narrow.txt"), Format: Words},
			"no difference\nnote: the encodings differ: wide.txt is UTF-16 (little-endian), narrow.txt is UTF-8\n",
		},
		"a text and a file with a byte order mark": {
			Args{OldText: new("one\ntwo\n"), NewFile: new("marked.txt")},
			"no difference\n",
		},
		"white space": {
			Args{OldText: new("a  b\n c\n"), NewText: new("a b \nc d\n"), IgnoreWhitespace: true, Context: new(toolabi.Int(0))},
			"--- old_text\n+++ new_text\n@@ -2 +2 @@\n- c\n+c d\n",
		},
		"only white space": {Args{OldText: new("a\r\n"), NewText: new(" a\n"), IgnoreWhitespace: true}, "no difference\n"},
		"words": {
			Args{OldText: new("f(a, bé)\nx\n"), NewText: new("f(a, c, d)\nx\n"), Format: Words},
			"--- old_text\n+++ new_text\n@@ -1,2 +1,2 @@\nf(a, [-bé-]{+c, d+})\nx\n",
		},
		"words without a line break": {
			Args{OldText: new("a b"), NewText: new("a"), Format: Words},
			"--- old_text\n+++ new_text\n@@ -1 +1 @@\na[- b-]\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := run(t, test.args); err != nil || got != test.want {
				t.Errorf("got %v\n%s\nwant:\n%s", err, got, test.want)
			}
		})
	}
}

func TestRun_errors(t *testing.T) {
	a := new("a")
	for _, test := range []struct {
		args Args
		want string
	}{
		{Args{}, "give exactly one of old_text and old_file"},
		{Args{OldText: a, OldFile: a, NewText: a}, "give exactly one of old_text and old_file"},
		{Args{OldText: a}, "give exactly one of new_text and new_file"},
		{Args{OldText: a, NewText: a, Format: "html"}, `the argument "format" is "html"; it must be unified, words or stat`},
		{Args{OldText: a, NewText: a, Context: new(toolabi.Int(-1))}, "the argument \"context\" is -1"},
		{Args{OldFile: new("none"), NewText: a}, "old_file: "},
		{Args{OldText: a, NewFile: new("../x")}, "new_file: "},
		{Args{OldText: a, NewFile: new("bin")}, "new_file: bin is a binary file"},
		{Args{OldText: a, NewFile: new("sub")}, "new_file: sub is a directory; give the path of a file"},
		{Args{OldText: a, NewFile: new("pipe")}, "new_file: pipe is not a regular file"},
		{Args{OldText: a, NewFile: new("big")}, "big has more than 4194304 bytes"},
	} {
		got, err := run(t, test.args)
		if err == nil || !strings.Contains(err.Error(), test.want) || got != "" {
			t.Errorf("got %.100q, %v; want an error with %q", got, err, test.want)
		}
	}
}

func TestRun_isCut(t *testing.T) {
	var older, newer strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&older, "equal %d\n%s %d before\n", i, strings.Repeat("x", 100), i)
		fmt.Fprintf(&newer, "equal %d\n%s %d after\n", i, strings.Repeat("x", 100), i)
	}
	for name, args := range map[string]Args{
		"between hunks":    {OldText: new(older.String()), NewText: new(newer.String()), Context: new(toolabi.Int(0))},
		"inside of a hunk": {OldText: new(older.String()), NewText: new(newer.String())},
	} {
		got, err := run(t, args)
		const end = "\n(the diff is cut here: it is longer than 262144 bytes; in total, it has 2000 lines added and 2000 lines removed)\n"
		if err != nil || len(got) < MaxOutput-1000 || len(got) > MaxOutput+len(end) || !strings.HasSuffix(got, end) {
			t.Errorf("%s: got %d bytes, %v, ending in %q", name, len(got), err, got[max(len(got)-150, 0):])
		}
	}
	whole := strings.Repeat("x", MaxInput)
	if got, err := run(t, Args{OldText: new(""), NewText: &whole}); err != nil || len(got) > 1000 {
		t.Errorf("a long line: got %d bytes, %v", len(got), err)
	}
}

// The program patch can apply the output of the tool.
func TestRun_isAPatch(t *testing.T) {
	program := testprogram.Path(t, "patch")
	random := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		text := func() string {
			var b strings.Builder
			for range random.IntN(40) {
				fmt.Fprintf(&b, "line %d\n", random.IntN(8))
			}
			return strings.TrimSuffix(b.String(), strings.Repeat("\n", random.IntN(2)))
		}
		older, newer := text(), text()
		diff, err := run(t, Args{OldText: &older, NewText: &newer, Context: new(toolabi.Int(random.Int64N(4)))})
		if err != nil {
			t.Fatal(err)
		}
		if older == newer {
			continue
		}
		file := filepath.Join(t.TempDir(), "text")
		if err := os.WriteFile(file, []byte(older), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), program, "--silent", "--fuzz=0", file)
		cmd.Stdin = strings.NewReader(diff)
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, output, diff)
		}
		// The program patch deletes a file that becomes empty.
		if got, err := os.ReadFile(file); string(got) != newer && !(newer == "" && os.IsNotExist(err)) {
			t.Errorf("patched to %q, %v; want %q\n%s", got, err, newer, diff)
		}
	}
}
