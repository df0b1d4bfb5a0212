package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/plain"
)

// MaxSkills is how many skills are found.
const MaxSkills = 100

// Bounds on what is looked at in a folder that somebody else filled.
const (
	maxEntries = 500 // files and folders, of the folder of skills
	maxFaults  = 20  // that are told
	// maxEffort is for what is before the texts, as effort counts it. It keeps within the fuel
	// that a tool has to describe itself, of which a unit takes some 4000.
	maxEffort = 350_000
)

// skill is a folder with instructions.
type skill struct {
	name, description, dir string
}

// namePattern is what a name looks like; it becomes a value of an enum.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// find returns the skills that there are, in order of their folders, and why others are none.
func find(fsys fs.FS) (skills []skill, faults []string, err error) {
	entries, more, err := list(fsys)
	if err != nil {
		return nil, nil, errors.New("the folder of skills cannot be read; the operator can name one: [mounts] skills = \"FOLDER\" in wasmtool.toml")
	}
	if more {
		faults = append(faults, fmt.Sprintf("the folder of skills has more than %d entries, and the others are left out", maxEntries))
	}
	left, untold := maxEffort, 0
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		dir := entry.Name()
		// What stands before the text, with the lines around it.
		content, err := head(fsys, path.Join(dir, fileName), maxFront+64)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if len(skills) == MaxSkills {
			return skills, append(faults, fmt.Sprintf("there are more than %d skills, and the others are left out", MaxSkills)), nil
		}
		var s skill
		before, fault := front(content, err)
		cost := effort(before)
		switch {
		case fault != "":
		case cost > left:
			fault = "there is too much before the texts of all SKILL.md; say less there"
		default:
			left -= cost
			s, fault = parse(dir, before)
		}
		if fault == "" && slices.ContainsFunc(skills, func(other skill) bool { return other.name == s.name }) {
			fault = "another skill has its name"
		}
		switch {
		case fault == "":
			skills = append(skills, s)
		case len(faults) < maxFaults:
			faults = append(faults, plain.Line(dir, maxShown)+": "+fault)
		default:
			untold++
		}
	}
	if untold > 0 {
		faults = append(faults, fmt.Sprintf("and %d more", untold))
	}
	return skills, faults, nil
}

// list returns what the folder of skills has, in order of the names, and whether there is more.
func list(fsys fs.FS) (entries []fs.DirEntry, more bool, err error) {
	f, err := fsys.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	folder, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, false, fs.ErrInvalid
	}
	for len(entries) <= maxEntries {
		next, err := folder.ReadDir(maxEntries + 1 - len(entries))
		entries = append(entries, next...)
		if err != nil || len(next) == 0 {
			break
		}
	}
	more = len(entries) > maxEntries
	entries = entries[:min(len(entries), maxEntries)]
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, more, nil
}
