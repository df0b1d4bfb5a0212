// Package skill is the built-in tool skill: instructions for a kind of work, from a folder,
// read when they are needed.
package skill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	sdk "github.com/wasmtool/wasmtool/guest"
)

// Mount is where the skills lie: a folder for each, with a file SKILL.md.
const Mount = "/skills"

// Bounds on what is read of a folder that somebody else filled.
const (
	MaxSkills      = 100
	MaxFile        = 256 << 10 // bytes of a file that is shown
	maxFront       = 16 << 10  // bytes of what is before the text
	maxDescription = 300       // characters
	maxFiles       = 200       // that are listed of a skill
)

const fileName = "SKILL.md"

// Args are the arguments of skill.
type Args struct {
	// Name names the skill.
	Name string `json:"name"`
	// File is a file of the skill, relative to its folder; "" means its instructions.
	File string `json:"file"`
}

// skill is a folder with instructions.
type skill struct {
	name, description, dir string
}

// namePattern is what a name looks like; it becomes a value of an enum.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// find returns the skills that there are, in order of their folders, and why others are none.
func find(fsys fs.FS) (skills []skill, faults []string, err error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, nil, errors.New("the folder of skills cannot be read; the operator can name one: [mounts] skills = \"FOLDER\" in wasmtool.toml")
	}
	for _, entry := range entries {
		dir := entry.Name()
		content, err := read(fsys, path.Join(dir, fileName), MaxFile)
		if errors.Is(err, fs.ErrNotExist) || !entry.IsDir() {
			continue
		}
		if len(skills) == MaxSkills {
			return skills, append(faults, fmt.Sprintf("there are more than %d skills, and the others are left out", MaxSkills)), nil
		}
		s, fault := parse(dir, content, err)
		if fault == "" && slices.ContainsFunc(skills, func(other skill) bool { return other.name == s.name }) {
			fault = "another skill has its name"
		}
		if fault != "" {
			faults = append(faults, plain(dir)+": "+fault)
			continue
		}
		skills = append(skills, s)
	}
	return skills, faults, nil
}

// parse reads what stands before the text.
func parse(dir string, content []byte, err error) (s skill, fault string) {
	if err != nil {
		return s, "SKILL.md cannot be read"
	}
	var front struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	before, _ := split(content)
	if len(before) > maxFront {
		return s, fmt.Sprintf("what stands before the text of SKILL.md has more than %d bytes", maxFront)
	}
	if err := yaml.Unmarshal(before, &front); err != nil {
		return s, "what stands before the text of SKILL.md is no YAML with a name and a description"
	}
	s = skill{name: front.Name, description: plain(front.Description), dir: dir}
	if s.name == "" {
		s.name = dir
	}
	if !namePattern.MatchString(s.name) {
		return s, "its name is not of letters, digits, dots, hyphens and underscores"
	}
	if s.description == "" {
		return s, "SKILL.md has no description"
	}
	return s, ""
}

// split parts the YAML between lines of three hyphens from the text.
func split(content []byte) (front, text []byte) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	rest, found := cutLine(content, "---")
	if !found {
		return nil, content
	}
	for at := 0; at < len(rest); {
		if text, found := cutLine(rest[at:], "---"); found {
			return rest[:at], text
		}
		next := bytes.IndexByte(rest[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return nil, content
}

// cutLine returns what follows the first line, if it is that one.
func cutLine(content []byte, line string) (rest []byte, found bool) {
	first, rest, _ := bytes.Cut(content, []byte("\n"))
	return rest, string(bytes.TrimRight(first, "\r \t")) == line
}

// plain is a text of somebody else as one line of bounded length.
func plain(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if utf8.RuneCountInString(text) > maxDescription {
		text = string([]rune(text)[:maxDescription]) + "..."
	}
	return strings.ToValidUTF8(text, "")
}

// Definition is what the tool says of itself.
type Definition struct {
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters,omitempty"`
}

// Describe returns the definition with the skills that there are.
func Describe(fsys fs.FS) (Definition, error) {
	skills, _, err := find(fsys)
	if err != nil {
		return Definition{}, err
	}
	var text strings.Builder
	text.WriteString("Shows the instructions for a kind of work, or a file that belongs to them. Read them before you begin such work, and follow them where the user says nothing else. The skills:")
	names := []string{}
	for _, s := range skills {
		fmt.Fprintf(&text, "\n- %s: %s", s.name, s.description)
		names = append(names, s.name)
	}
	name := map[string]any{"type": "string", "description": "The skill"}
	if len(names) > 0 {
		name["enum"] = names
	} else {
		text.WriteString(" there are none at the moment.")
	}
	return Definition{Description: text.String(), Parameters: map[string]any{
		"type": "object", "required": []string{"name"},
		"properties": map[string]any{
			"name": name,
			"file": map[string]any{"type": "string", "description": "A file of the skill, as its instructions name it; without it, the instructions"},
		},
	}}, nil
}

// Run shows what args ask for. The text of an error is written for a model.
func Run(fsys fs.FS, args Args) (sdk.Result, error) {
	skills, faults, err := find(fsys)
	if err != nil {
		return sdk.Result{}, err
	}
	at := slices.IndexFunc(skills, func(s skill) bool { return s.name == args.Name })
	if at < 0 {
		return sdk.Result{}, unknown(args.Name, skills, faults)
	}
	s := skills[at]
	if args.File != "" {
		return s.file(fsys, args.File)
	}
	content, err := read(fsys, path.Join(s.dir, fileName), MaxFile)
	if err != nil {
		return sdk.Result{}, fmt.Errorf("%s: its instructions cannot be read", s.name)
	}
	_, body := split(content)
	text := strings.ToValidUTF8(strings.TrimSpace(string(body)), "\uFFFD")
	if files := s.files(fsys); len(files) > 0 {
		text += "\n\nFiles of this skill, to be read with file:\n- " + strings.Join(files, "\n- ")
	}
	return sdk.Result{Content: []sdk.Content{sdk.Text(text)}, Title: "Skill " + s.name}, nil
}

func unknown(name string, skills []skill, faults []string) error {
	var names []string
	for _, s := range skills {
		names = append(names, s.name)
	}
	message := fmt.Sprintf("there is no skill %q; there are: %s", plain(name), strings.Join(names, ", "))
	if len(skills) == 0 {
		message = fmt.Sprintf("there is no skill %q, nor any other: a skill is a folder with a file SKILL.md that has a name and a description", plain(name))
	}
	if len(faults) > 0 {
		message += ". Not loaded: " + strings.Join(faults, "; ")
	}
	return errors.New(message)
}

// file shows a file of the skill.
func (s skill) file(fsys fs.FS, name string) (sdk.Result, error) {
	name = strings.TrimPrefix(name, "./")
	if !fs.ValidPath(name) || name == "." {
		return sdk.Result{}, fmt.Errorf("file: %q is no file of the skill; give a path relative to its folder, such as %s", plain(name), "reference.md")
	}
	content, err := read(fsys, path.Join(s.dir, name), MaxFile)
	switch {
	case errors.Is(err, errLarge):
		return sdk.Result{}, fmt.Errorf("file: %s has more than %d bytes", plain(name), MaxFile)
	case err != nil:
		return sdk.Result{}, fmt.Errorf("file: the skill %s has no file %q that can be read; it has: %s", s.name, plain(name), strings.Join(s.files(fsys), ", "))
	case !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0:
		return sdk.Result{}, fmt.Errorf("file: %s is no text", plain(name))
	}
	return sdk.Result{Content: []sdk.Content{sdk.Text(string(content))}, Title: s.name + ": " + plain(name)}, nil
}

// files are the names of the skill's other files.
func (s skill) files(fsys fs.FS) []string {
	var names []string
	_ = fs.WalkDir(fsys, s.dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is not offered
		}
		if len(names) == maxFiles {
			return fs.SkipAll
		}
		relative := strings.TrimPrefix(name, s.dir+"/")
		if entry.Type().IsRegular() && relative != fileName && relative == plain(relative) {
			names = append(names, relative)
		}
		return nil
	})
	return names
}

var errLarge = errors.New("too large")

// read reads a file of at most so many bytes.
func read(fsys fs.FS, name string, most int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(content)) > most {
		err = errLarge
	}
	return content, err
}
