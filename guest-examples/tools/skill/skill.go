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
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// Mount is where the skills lie: a folder for each, with a file SKILL.md.
const Mount = "/skills"

// MaxFile is how many bytes a file may have that is shown.
const MaxFile = 256 << 10

const (
	fileName = "SKILL.md"
	maxShown = 200 // characters of a name in a message
)

// Args are the arguments of skill.
type Args struct {
	// Name names the skill.
	Name string `json:"name"`
	// File is a file of the skill, relative to its folder; "" means its instructions.
	File string `json:"file"`
}

// Run shows what args ask for. The text of an error is written for a model.
func Run(fsys fs.FS, args Args) (guest.Result, error) {
	skills, faults, err := find(fsys)
	if err != nil {
		return guest.Result{}, err
	}
	at := slices.IndexFunc(skills, func(s skill) bool { return s.name == args.Name })
	if at < 0 {
		return guest.Result{}, unknown(args.Name, skills, faults)
	}
	if args.File != "" {
		return skills[at].file(fsys, args.File)
	}
	return skills[at].instructions(fsys)
}

func unknown(name string, skills []skill, faults []string) error {
	var names []string
	for _, s := range skills {
		names = append(names, s.name)
	}
	message := fmt.Sprintf("there is no skill %q; there are: %s", plain.Line(name, maxShown), strings.Join(names, ", "))
	if len(skills) == 0 {
		message = fmt.Sprintf("there is no skill %q, nor any other: a skill is a folder with a file SKILL.md that has a name and a description", plain.Line(name, maxShown))
	}
	if len(faults) > 0 {
		message += ". Not loaded: " + strings.Join(faults, "; ")
	}
	return errors.New(message)
}

// instructions shows what follows the head of SKILL.md, and which other files there are.
func (s skill) instructions(fsys fs.FS) (guest.Result, error) {
	content, err := read(fsys, path.Join(s.dir, fileName), MaxFile)
	switch {
	case errors.Is(err, errLarge):
		return guest.Result{}, fmt.Errorf("%s: its SKILL.md has more than %d bytes; what is longer belongs into files beside it", s.name, MaxFile)
	case err != nil:
		return guest.Result{}, fmt.Errorf("%s: its instructions cannot be read", s.name)
	}
	_, body, _ := split(content)
	text := show(bytes.TrimSpace(body))
	if files := s.files(fsys); len(files) > 0 {
		text += "\n\nFiles of this skill, to be read with file:\n- " + strings.Join(files, "\n- ")
	}
	return guest.Result{Content: []guest.Content{guest.Text(text)}, Title: "Skill " + s.name}, nil
}

// file shows a file of the skill.
func (s skill) file(fsys fs.FS, name string) (guest.Result, error) {
	name = strings.TrimPrefix(name, "./")
	shown := plain.Line(name, maxShown)
	if !fs.ValidPath(name) || name == "." {
		return guest.Result{}, fmt.Errorf("file: %q is no file of the skill; give a path relative to its folder, such as reference.md", shown)
	}
	content, err := read(fsys, path.Join(s.dir, name), MaxFile)
	switch {
	case errors.Is(err, errLarge):
		return guest.Result{}, fmt.Errorf("file: %s has more than %d bytes", shown, MaxFile)
	case err != nil:
		return guest.Result{}, fmt.Errorf("file: the skill %s has no file %q that can be read; %s", s.name, shown, s.offer(fsys))
	case !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0:
		return guest.Result{}, fmt.Errorf("file: %s is no text", shown)
	}
	return guest.Result{Content: []guest.Content{guest.Text(show(content))}, Title: s.name + ": " + shown}, nil
}

// offer says which files there are instead.
func (s skill) offer(fsys fs.FS) string {
	files := s.files(fsys)
	if len(files) == 0 {
		return "it has none besides its instructions"
	}
	return "it has: " + strings.Join(files, ", ")
}

// show is a text as a model may see it: without characters that people would not see in the
// file, as those could be orders that nobody has read.
func show(content []byte) string {
	text, removed := plain.Text(string(content))
	if removed > 0 {
		text += fmt.Sprintf("\n\n(%s that cannot be seen left out)", toolabi.Quantity(removed, "character"))
	}
	return text
}

var errLarge = errors.New("too large")

// read reads a file of at most so many bytes.
func read(fsys fs.FS, name string, most int64) ([]byte, error) {
	content, err := head(fsys, name, most+1)
	if err == nil && int64(len(content)) > most {
		err = errLarge
	}
	return content, err
}

// head reads the first bytes of a file.
func head(fsys fs.FS, name string, most int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
