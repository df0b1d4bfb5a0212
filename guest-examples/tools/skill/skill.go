// Package skill implements the built-in tool skill, which shows instructions for a kind of work.
// The instructions are files in a directory.
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

// Mount is the path of the directory of skills. Each skill is a directory in it that contains a
// file SKILL.md.
const Mount = "/skills"

// MaxFile limits the size of a file that is shown, in bytes.
const MaxFile = 256 << 10

const (
	fileName = "SKILL.md"
	maxShown = 200 // maximum number of characters of a name in a message
)

// Args are the arguments of skill.
type Args struct {
	// Name is the name of the skill.
	Name string `json:"name"`
	// File is a file of the skill, relative to the directory of the skill; "" means the
	// instructions.
	File string `json:"file"`
}

// Run shows the instructions or the file. The message of an error is written for a model.
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
	message := fmt.Sprintf("skill %q does not exist; use one of: %s", plain.Line(name, maxShown), strings.Join(names, ", "))
	if len(skills) == 0 {
		message = fmt.Sprintf("skill %q does not exist, and there are no other skills; a skill is a directory with a file SKILL.md that has a name and a description", plain.Line(name, maxShown))
	}
	if len(problems) > 0 {
		message += ". Not loaded: " + strings.Join(problems, "; ")
	}
	return errors.New(message)
}

// instructions shows the text after the front matter of SKILL.md, and lists the other files of the
// skill.
func (s skill) instructions(fsys fs.FS) (guest.Result, error) {
	content, err := read(fsys, path.Join(s.dir, fileName), MaxFile)
	switch {
	case errors.Is(err, errLarge):
		return guest.Result{}, fmt.Errorf("the SKILL.md of %s has more than %d bytes; move some of it to other files of the skill", s.name, MaxFile)
	case err != nil:
		return guest.Result{}, fmt.Errorf("the instructions of %s can't be read", s.name)
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
		return guest.Result{}, fmt.Errorf("file: %q is not a file of the skill; give a path relative to the directory of the skill, such as reference.md", shown)
	}
	content, err := read(fsys, path.Join(s.dir, name), MaxFile)
	switch {
	case errors.Is(err, errLarge):
		return guest.Result{}, fmt.Errorf("file: %s is larger than the limit of %d bytes", shown, MaxFile)
	case err != nil:
		return guest.Result{}, fmt.Errorf("file: the skill %s has no file %q that can be read; %s", s.name, shown, s.offer(fsys))
	case !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0:
		return guest.Result{}, fmt.Errorf("file: %s is not a text file", shown)
	}
	return guest.Result{Content: []guest.Content{guest.Text(show(content))}, Title: s.name + ": " + shown}, nil
}

// offer lists the other files of the skill, as advice in an error.
func (s skill) offer(fsys fs.FS) string {
	files := s.files(fsys)
	if len(files) == 0 {
		return "the skill has no other files, only its instructions"
	}
	return "it has: " + strings.Join(files, ", ")
}

// show makes a text safe for a model. It removes characters that people can't see, because they
// could hide instructions that no person has read.
func show(content []byte) string {
	text, removed := plain.Text(string(content))
	if removed > 0 {
		text += fmt.Sprintf("\n\n(%s removed because invisible)", toolabi.Quantity(removed, "character"))
	}
	return text
}

var errLarge = errors.New("too large")

// read returns the content of a file. It returns an error if the file is larger than limit bytes.
func read(fsys fs.FS, name string, limit int64) ([]byte, error) {
	content, err := head(fsys, name, limit+1)
	if err == nil && int64(len(content)) > limit {
		err = errLarge
	}
	return content, err
}

// head returns the first limit bytes of a file.
func head(fsys fs.FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
