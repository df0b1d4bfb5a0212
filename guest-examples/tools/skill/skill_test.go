package skill

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

var tree = fstest.MapFS{
	"review/SKILL.md":        file("---\nname: code-review\ndescription: |\n  How we review\n  changes.\n---\n# Review\n\nLook at the tests first.\n"),
	"review/checklist.md":    file("- tests\n"),
	"review/forms/long.md":   file(strings.Repeat("x", MaxFile+1)),
	"review/forms/form.bin":  file("\x00\x01"),
	"release/SKILL.md":       file("\xef\xbb\xbf---\r\ndescription: How to release\r\n---\r\nTag it.\r\n"),
	"empty/README.md":        file("no skill"),
	"nothing/SKILL.md":       file("# No front matter\n"),
	"broken/SKILL.md":        file("---\ndescription: [\n---\nx"),
	"other-review/SKILL.md":  file("---\nname: code-review\ndescription: A copy\n---\nx"),
	"shout/SKILL.md":         file("---\nname: \"no good\"\ndescription: x\n---\nx"),
	"loud/SKILL.md":          file("---\nname: loud\ndescription: \"red\\e[31m \\u202e text\"\n---\nx"),
	"unended/SKILL.md":       file("---\ndescription: x\n"),
	"large/SKILL.md":         file("---\ndescription: " + strings.Repeat("x", maxFront) + "\n---\nx"),
	"deep/SKILL.md":          file("---\ndescription: " + strings.Repeat("[", 8000) + "\n---\nx"),
	"again/SKILL.md":         file("---\n" + strings.Repeat("? a\n", 1900) + "---\nx"),
	"colon/SKILL.md":         file("---\nname: colon\ndescription: Use it: for a, b: and c\n---\nx"),
	"dumb/SKILL.md":          file("---\nname: dumb\ndescription: \"\\u200b\"\n---\nx"),
	"aliases/SKILL.md":       file("---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ndescription: bomb\n---\nx"),
	"SKILL.md":               file("---\nname: root\ndescription: x\n---\nx"),
	"release/notes/next.txt": file("soon"),
}

func text(t *testing.T, fsys fs.FS, args Args) string {
	t.Helper()
	result, err := Run(fsys, args)
	if err != nil {
		return "error: " + err.Error()
	}
	return result.Content[0].Text
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		args Args
		want string // prefix of the output
	}{
		// the skill in the copy, because the copy is the first directory
		{Args{Name: "code-review"}, "x"},
		{Args{Name: "release"}, "Tag it.\n\nFiles of this skill; read them with file:\n- notes/next.txt"},
		{Args{Name: "release", File: "notes/next.txt"}, "soon"},
		{Args{Name: "release", File: "./notes/next.txt"}, "soon"},
		{Args{Name: "release", File: "../review/checklist.md"}, `error: file: "../review/checklist.md" is not a file of the skill`},
		{Args{Name: "release", File: "/etc/passwd"}, `error: file: "/etc/passwd" is not a file of the skill`},
		{Args{Name: "release", File: "notes"}, `error: file: the skill release has no file "notes" that can be read; it has: notes/next.txt`},
		{Args{Name: "none"}, `error: skill "none" does not exist; use one of: `},
	} {
		if got := text(t, tree, c.args); !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: got %q, want %q", c.args, got, c.want)
		}
	}
	one := fstest.MapFS{}
	for name, f := range tree {
		if strings.HasPrefix(name, "review/") {
			one[name] = f
		}
	}
	for _, c := range []struct{ file, want string }{
		{"", "# Review\n\nLook at the tests first.\n\nFiles of this skill; read them with file:\n- checklist.md\n- forms/form.bin\n- forms/long.md"},
		{"checklist.md", "- tests\n"},
		{"forms/long.md", "error: file: forms/long.md is larger than the limit of 262144 bytes"},
		{"forms/form.bin", "error: file: forms/form.bin is not a text file"},
	} {
		if got := text(t, one, Args{Name: "code-review", File: c.file}); got != c.want {
			t.Errorf("%q: got %q, want %q", c.file, got, c.want)
		}
	}
}

// The error for a missing skill says why other directories are not skills.
func TestErrors(t *testing.T) {
	got := text(t, tree, Args{Name: "none"})
	for _, want := range []string{
		"nothing: SKILL.md must begin with a name", "broken: the front matter of SKILL.md must be YAML",
		"review: another skill has the same name", "shout: the name of the skill may contain only letters", "unended: SKILL.md must begin",
		"large: SKILL.md must begin", "deep: the front matter of SKILL.md must be YAML", "again: SKILL.md has no description", "dumb: SKILL.md has no description",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
	if strings.Contains(got, "empty") {
		t.Errorf("an empty directory is reported: %q", got)
	}
	if got := text(t, fstest.MapFS{}, Args{Name: "x"}); !strings.Contains(got, "there are no other skills") {
		t.Errorf("got %q", got)
	}
	if got := text(t, broken{}, Args{Name: "x"}); !strings.Contains(got, "[mounts]") {
		t.Errorf("got %q", got)
	}
}

type broken struct{}

func (broken) Open(string) (fs.File, error) { return nil, fs.ErrPermission }

func TestDescribe(t *testing.T) {
	d, err := Describe(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n- code-review: A copy", "\n- release: How to release", "\n- loud: red[31m text", "\n- colon: Use it: for a, b: and c",
		"\nNot loaded: again: SKILL.md has no description in its front matter; broken: the front matter",
	} {
		if !strings.Contains(d.Description, want) {
			t.Errorf("got %q, want %q in it", d.Description, want)
		}
	}
	parameters, err := json.Marshal(d.Parameters)
	for _, want := range []string{`"code-review"`, `"release"`, `"x-aliases":["skill"]`} {
		if err != nil || !strings.Contains(string(parameters), want) {
			t.Errorf("got %s, %v, want %s in it", parameters, err, want)
		}
	}
	if d, err := Describe(fstest.MapFS{}); err != nil || !strings.HasSuffix(d.Description, "none at the moment.") {
		t.Errorf("got %+v, %v", d, err)
	}
}

// Front matter that is not YAML is read line by line.
func TestFrontMatterThatIsNotYAML(t *testing.T) {
	for front, want := range map[string]string{
		"name: a\ndescription: Use it: always":                                 "a: Use it: always",
		"name: a\r\ndescription: Use it: always\r\n":                           "a: Use it: always",
		"description: Use it: always\n  and: ever\n\n  so\nlicense: x: y":      "dir: Use it: always and: ever so",
		"name: 'a'\ndescription: \"One \"two\" three\"":                        "a: One \"two\" three",
		"name: a\ndescription: [beta] Does it":                                 "a: [beta] Does it",
		"name: a\ndescription: @all, read this":                                "a: @all, read this",
		"name: a\ndescription: >-\n  Folded: text\n  here\nx: y: z":            "a: Folded: text here",
		"name: a\ndescription: |\n\tWith a tab\nx: y":                          "a: With a tab",
		"name: a\ndescription: Use it: always\nname: b\ndescription: c":        "a: Use it: always",
		"name: a\nother:\n  description: x: y\ndescription: The: right one":    "a: The: right one",
		"name: a\ndescription: Use `x`: 100% of\nallowed-tools: *, %":          "a: Use `x`: 100% of",
		"name: a\ndescription:\n  Next: line":                                  "a: Next: line",
		"name: a b\ndescription: x: y":                                         "! the name of the skill may contain only letters, digits, dots, hyphens and underscores",
		"name: a\ndescription: [":                                              "! the front matter of SKILL.md must be YAML with a name and a description",
		"name: a: b\n":                                                         "! the name of the skill may contain only letters, digits, dots, hyphens and underscores",
		"description: \"Quoted: well\"\nname: x: y\ndescription: x\nname: a\n": "! the name of the skill may contain only letters, digits, dots, hyphens and underscores",
	} {
		s, problem := parse("dir", []byte(front))
		got := s.name + ": " + s.description
		if problem != "" {
			got = "! " + problem
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", front, got, want)
		}
	}
}

func TestManySkillsAreDescribed(t *testing.T) {
	many := fstest.MapFS{}
	for n := range MaxSkills + 5 {
		many[fmt.Sprintf("s%03d/SKILL.md", n)] = file("---\ndescription: x\n---\n")
	}
	d, err := Describe(many)
	if err != nil || strings.Count(d.Description, "\n- ") != MaxSkills {
		t.Errorf("got %q, %v", d.Description, err)
	}
}

// The host accepts the tool's description of itself for all kinds of skills. Each skill is
// described if there is enough space, and the enum contains the names of all skills.
func TestDescribe_fits(t *testing.T) {
	for _, c := range []struct {
		// number of skills, and lengths of their names and descriptions in characters
		skills, name, description int
		described                 int // number of skills in the description
	}{
		{1, 4, 1024, 1},
		{15, 4, 300, 15},
		{40, 4, 1024, 40},
		{MaxSkills, 4, 14, MaxSkills},
		{MaxSkills, 64, 1024, 25},
	} {
		many := fstest.MapFS{}
		for n := range c.skills {
			name := fmt.Sprintf("s%0*d", c.name-1, n)
			many[name+"/SKILL.md"] = file("---\ndescription: " + strings.Repeat("é", c.description) + "\n---\n")
		}
		d, err := Describe(many)
		if err != nil || len(d.Description) > maxText {
			t.Fatalf("%+v: %d bytes, %v", c, len(d.Description), err)
		}
		if described := strings.Count(d.Description, "\n- s"); described != c.described {
			t.Errorf("%+v: %d are described in %s", c, described, d.Description)
		}
		enum := d.Parameters["properties"].(map[string]any)["name"].(map[string]any)["enum"].([]string)
		if len(enum) != c.skills {
			t.Errorf("%+v: %d in the enum", c, len(enum))
		}
		if more := strings.Contains(d.Description, fmt.Sprintf("more, %d in all", c.skills)); more != (c.described < c.skills) {
			t.Errorf("%+v: %s", c, d.Description)
		}
	}
}

// Characters that people can't see are not shown to a model.
func TestRun_removesInvisibleCharacters(t *testing.T) {
	fsys := fstest.MapFS{
		"a/SKILL.md":     file("---\ndescription: x\n---\nTag \U000e0041\U000e0042it.\r\n"),
		"a/b.md":         file("\x1b[2Jb"),
		"a/.git/config":  file("hidden"),
		"a/.secret":      file("hidden"),
		"a/\x1b[2J/c.md": file("c"),
	}
	if got, want := text(t, fsys, Args{Name: "a"}), "Tag it.\n\n(2 characters removed because invisible)\n\nFiles of this skill; read them with file:\n- b.md"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := text(t, fsys, Args{Name: "a", File: "b.md"}), "[2Jb\n\n(1 character removed because invisible)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A directory with many other files needs little time, and the message stays short.
func TestFind_bounds(t *testing.T) {
	many := fstest.MapFS{}
	for n := range maxEntries + 1 {
		many[fmt.Sprintf("f%04d/SKILL.md", n)] = file("no skill")
	}
	many["a/SKILL.md"] = file("---\ndescription: x\n---\nDo it.")
	if got := text(t, many, Args{Name: "a"}); got != "Do it." {
		t.Errorf("got %q", got)
	}
	got := text(t, many, Args{Name: "none"})
	for _, want := range []string{"skill \"none\" does not exist; use one of: a.", "more than 500 entries", "f0000: SKILL.md must begin", "; and 480 more"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
	// Front matter that needs much time to parse is skipped; the skills after it are still found.
	costly := fstest.MapFS{"z/SKILL.md": file("---\ndescription: x\n---\nDo it.")}
	for n := range 100 {
		costly[fmt.Sprintf("f%04d/SKILL.md", n)] = file("---\n" + strings.Repeat("? a\n", 1900) + "---\n")
	}
	if got := text(t, costly, Args{Name: "z"}); got != "Do it." {
		t.Errorf("got %q", got)
	}
	if got := text(t, costly, Args{Name: "none"}); !strings.Contains(got, "f0005: parsing the front matter") {
		t.Errorf("got %q", got)
	}
	big := fstest.MapFS{"a/SKILL.md": file("---\ndescription: x\n---\n" + strings.Repeat("x", MaxFile))}
	if got := text(t, big, Args{Name: "a"}); got != "error: the SKILL.md of a has more than 262144 bytes; move some of it to other files of the skill" {
		t.Errorf("got %q", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, file := range tree {
		f.Add(file.Data)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		before, problem := front(content, nil)
		if problem != "" {
			return
		}
		s, problem := parse("dir", before)
		if problem == "" && (s.description == "" || !namePattern.MatchString(s.name) || strings.ContainsAny(s.description, "\n\x1b")) {
			t.Errorf("got %+v", s)
		}
	})
}
