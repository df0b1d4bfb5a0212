package workspace

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/corpora"
	"github.com/wasmtool/wasmtool/guest-examples/internal/testprogram"
)

// A directory with ignore files has the same visible files as in git.
func TestIgnoreFilesAreTheSameAsInGit(t *testing.T) {
	git := testprogram.Path(t, "git")
	for _, test := range []struct {
		name  string
		rules map[string]string // ignore files by directory
		files []string
	}{
		{"an exception below **", map[string]string{".": "logs/*/**\n!logs/*/keep\n"}, []string{"logs/a/keep", "logs/a/b", "logs/c"}},
		{"classes", map[string]string{".": "[[:upper:]]*.tmp\n[]-]\n[[:nosuch:]]\n[^[:digit:]x-z]q\n"}, []string{"A.tmp", "a.tmp", "]", "-", "n", "5q", "yq", "aq"}},
		{"a byte order mark", map[string]string{".": "\ufeffa\nb\n"}, []string{"a", "b", "c"}},
		{"spaces", map[string]string{".": "a \nb\\ \nc\\  \nd\\\\ \n  e\nf\t\n"}, []string{"a", "b ", "b", "c ", "c", "d\\", "e", "  e", "f", "f\t"}},
		{"line ends", map[string]string{".": "a\r\nb\r\r\nc\r"}, []string{"a", "b", "b\r", "c", "c\r"}},
		{"slashes", map[string]string{".": "/a\nb/\nc//\n/\n//d\ne/f\n/g/\n"}, []string{"a", "x/a", "b", "x/b/y", "c/y", "d", "x/d", "e/f", "x/e/f", "g/y", "x/g/y"}},
		{"backslashes", map[string]string{".": "\\#a\n\\!b\nc\\\nd\\*\n\\e\n[\\]]f\ng\\/h\n"}, []string{"#a", "!b", "c", "c\\", "d*", "dx", "e", "]f", "g/h"}},
		{"** as a part of an element", map[string]string{".": "a**/b\n**c\nd/**e\nf**\n***/g\n/h/***/i\n"}, []string{"ab/b", "a/x/b", "axb", "xc", "x/yc", "d/e", "d/x/e", "d/xe", "f", "x/f1", "x/y/g", "g", "h/i", "h/x/i"}},
		{"braces are literal", map[string]string{".": "{a,b}\n"}, []string{"a", "b", "{a,b}"}},
		{"unclosed", map[string]string{".": "[a\nb[\n[!]\n[]\n"}, []string{"[a", "a", "b[", "[!]", "[]"}},
		{"bytes", map[string]string{".": "?a\n??b\n[ä]c\n"}, []string{"äa", "xa", "äb", "äc"}},
		{"a slash in a set", map[string]string{".": "x[/]y\nv[^a]w\n*/z\n"}, []string{"x/y", "v/w", "vbw", "a/z", "a/b/z"}},
	} {
		t.Run(test.name, func(t *testing.T) { sameAsGit(t, git, test.rules, test.files) })
	}
}

// Ignore files of random patterns hide the same files as in git.
func TestRandomIgnoreFilesAreTheSameAsInGit(t *testing.T) {
	git := testprogram.Path(t, "git")
	random := rand.New(rand.NewPCG(7, 8))
	pieces := []string{"a", "b", "c", "ab", "*", "**", "**/", "/", "/", "?", "[ab]", "[!a]", "[a-c]", "[[:alpha:]]", "\\a", "-", "]", "*/", "/**", ".", "["}
	for range 25 {
		line := func() string {
			var text strings.Builder
			for range 1 + random.IntN(5) {
				text.WriteString(pieces[random.IntN(len(pieces))])
			}
			if random.IntN(5) == 0 {
				return "!" + text.String() + "\n"
			}
			return text.String() + "\n"
		}
		rules := map[string]string{".": line() + line() + line(), "a": line(), "b/c": line() + line()}
		files := []string{"a/x", "b/c/x"}
		for range 60 {
			name := ""
			for range 1 + random.IntN(4) {
				name = path.Join(name, []string{"a", "b", "c", "ab", "abc", "-", "]", ".a", "x"}[random.IntN(9)])
			}
			files = append(files, name+[]string{"", "1", ".c"}[random.IntN(3)])
		}
		sameAsGit(t, git, rules, files)
	}
}

// Each template of github/gitignore hides the same files as in git. The files have names that the
// patterns of the template describe.
func TestTemplatesHideTheSameFilesAsInGit(t *testing.T) {
	dir := corpora.Dir(t, "gitignore")
	git := testprogram.Path(t, "git")
	var templates []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".gitignore") && entry.Type().IsRegular() {
			templates = append(templates, name)
		}
		return err
	})
	if err != nil || len(templates) < 100 {
		t.Fatalf("there are %d templates, %v", len(templates), err)
	}
	random := rand.New(rand.NewPCG(9, 10))
	for _, template := range templates {
		content, err := os.ReadFile(template)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(template), func(t *testing.T) {
			sameAsGit(t, git, map[string]string{".": string(content)}, filesFor(random, string(content)))
		})
	}
	t.Logf("%d templates", len(templates))
}

// filesFor returns names of files that patterns describe, and similar names.
func filesFor(random *rand.Rand, patterns string) []string {
	var files []string
	for line := range strings.Lines(patterns) {
		line = strings.Trim(strings.TrimSpace(line), "!/")
		if line == "" || line[0] == '#' {
			continue
		}
		for range 3 {
			fill := []string{"x", "Ab", "1", "x.y"}[random.IntN(4)]
			name := strings.NewReplacer("**/", []string{"", "p/", "p/q/"}[random.IntN(3)], "/**", "/"+fill, "*", fill, "?", "x", "\\", "").Replace(line)
			for _, set := range []string{"[Bb]", "[Dd]", "[Oo]", "[Rr]", "[Ll]", "[Tt]", "[Ww]", "[Xx]", "[Aa]", "[Pp]"} {
				name = strings.ReplaceAll(name, set, string(set[1+random.IntN(2)]))
			}
			switch random.IntN(4) {
			case 0:
				name = "sub/" + name
			case 1:
				name += "/inside/" + fill
			case 2:
				name += fill
			}
			files = append(files, name)
		}
	}
	return files
}

// sameAsGit creates the files and ignore files that can be created, and compares what Walk visits
// with what git shows.
func sameAsGit(t *testing.T, git string, rules map[string]string, files []string) {
	t.Helper()
	root := t.TempDir()
	for directory, content := range rules {
		create(root, path.Join(directory, ignoreFile), content)
	}
	for _, name := range files {
		if !strings.HasPrefix(name, ".git/") && !strings.Contains(name, "/.git/") {
			create(root, name, "")
		}
	}
	command := exec.Command(git, "init", "-q")
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command = exec.Command(git, "-c", "core.excludesFile=", "ls-files", "--others", "--exclude-standard", "-z")
	command.Dir = root
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(out) == 0 {
		want = nil
	}
	var got []string
	var unread Unread
	var leftOut LeftOut
	walker := Walker{FS: os.DirFS(root), Start: ".", Hidden: true, Unread: &unread, LeftOut: &leftOut}
	err = walker.Walk(func(name string, _ fs.DirEntry) error {
		got = append(got, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(got)
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("git shows %q; rules: %q", name, rules)
		}
	}
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("git hides %q; rules: %q", name, rules)
		}
	}
}

// create writes a file unless a file or directory is in its way.
func create(root, name, content string) {
	full := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err == nil {
		_ = os.WriteFile(full, []byte(content), 0o644)
	}
}
