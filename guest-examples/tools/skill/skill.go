// Package skill implements the built-in tool skill, which shows instructions for a kind of work
// from a directory.
package skill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// Mount is the directory of skills. Each skill is a directory with a file SKILL.md.
const Mount = "/skills"

// MaxFile limits the size of a file that is shown, in bytes.
const MaxFile = 256 << 10

const (
	fileName = "SKILL.md"
	maxShown = 200 // characters of a name shown in a message
)

// Args are the arguments of skill.
type Args struct {
	// Name is the name of the skill.
	Name string `json:"name"`
	// File is a file of the skill, relative to its directory; "" means its instructions.
	File string `json:"file"`
}

// Run shows the instructions or the file. The text of an error is for a model.
func Run(fsys fs.FS, args Args) (guest.Result, error) {
	skills, problems, err := find(fsys)
	if err != nil {
		return guest.Result{}, err
	}
	at := slices.IndexFunc(skills, func(s skill) bool { return s.name == args.Name })
	if at < 0 {
		return guest.Result{}, unknown(args.Name, skills, problems)
	}
	if args.File != "" {
		return skills[at].file(fsys, args.File)
	}
	return skills[at].instructions(fsys)
}

func unknown(name string, skills []skill, problems []string) error {
	var names []string
	for _, s := range skills {
		names = append(names, s.name)
	}
	message := fmt.Sprintf("skill %q does not exist; available: %s", plain.Line(name, maxShown), strings.Join(names, ", "))
	if len(skills) == 0 {
		message = fmt.Sprintf("skill %q does not exist, and there are no others: a skill is a directory with a file SKILL.md that has a name and a description", plain.Line(name, maxShown))
	}
	if len(problems) > 0 {
		message += ". Not loaded: " + strings.Join(problems, "; ")
	}
	return errors.New(message)
}

// instructions shows the text of SKILL.md after the front matter, and lists the other files.
func (s skill) instructions(fsys fs.FS) (guest.Result, error) {
	content, err := read(fsys, path.Join(s.dir, fileName), MaxFile)
	switch {
	case errors.Is(err, errLarge):
		return guest.Result{}, fmt.Errorf("%s: its SKILL.md has more than %d bytes; move the rest to other files of the skill", s.name, MaxFile)
	case err != nil:
		return guest.Result{}, fmt.Errorf("%s: its instructions cannot be read", s.name)
	}
	_, body, _ := split(content)
	text := show(bytes.TrimSpace(body))
	if files := s.files(fsys); len(files) > 0 {
		text += "\n\nFiles of this skill; read them with file:\n- " + strings.Join(files, "\n- ")
	}
	return guest.Result{Content: []guest.Content{guest.Text(text)}, Title: "Skill " + s.name}, nil
}

// file shows a file of the skill.
func (s skill) file(fsys fs.FS, name string) (guest.Result, error) {
	name = strings.TrimPrefix(name, "./")
	shown := plain.Line(name, maxShown)
	if !fs.ValidPath(name) || name == "." {
		return guest.Result{}, fmt.Errorf("file: %q is not a file of the skill; give a path relative to its directory, such as reference.md", shown)
	}
	content, err := read(fsys, path.Join(s.dir, name), MaxFile)
	switch {
	case errors.Is(err, errLarge):
		return guest.Result{}, fmt.Errorf("file: %s has more than %d bytes", shown, MaxFile)
	case err != nil:
		return guest.Result{}, fmt.Errorf("file: the skill %s has no readable file %q; %s", s.name, shown, s.offer(fsys))
	case !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0:
		return guest.Result{}, fmt.Errorf("file: %s is not a text file", shown)
	}
	return guest.Result{Content: []guest.Content{guest.Text(show(content))}, Title: s.name + ": " + shown}, nil
}

// offer lists the other files of the skill, for an error.
func (s skill) offer(fsys fs.FS) string {
	files := s.files(fsys)
	if len(files) == 0 {
		return "it has only its instructions"
	}
	return "it has: " + strings.Join(files, ", ")
}

// show makes a text safe for a model. It removes characters that are invisible to people, since
// they could hide instructions that no person has read.
func show(content []byte) string {
	text, removed := plain.Text(string(content))
	if removed > 0 {
		text += fmt.Sprintf("\n\n(%s removed because invisible)", toolabi.Quantity(removed, "character"))
	}
	return text
}

var errLarge = errors.New("too large")

// read reads a file of at most limit bytes.
func read(fsys fs.FS, name string, limit int64) ([]byte, error) {
	content, err := head(fsys, name, limit+1)
	if err == nil && int64(len(content)) > limit {
		err = errLarge
	}
	return content, err
}

// head reads the first bytes of a file.
func head(fsys fs.FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
