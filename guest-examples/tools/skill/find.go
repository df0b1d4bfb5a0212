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

// MaxSkills limits the number of skills.
const MaxSkills = 100

// Limits of the search for skills, because the author of the directory is not trusted.
const (
	maxEntries  = 500 // number of entries in the directory of skills
	maxProblems = 20  // reported errors
	// maxEffort limits the work of parsing front matter, in units of the function effort. The limit
	// keeps the description of the tool within its fuel; one unit needs about 4000 units of fuel.
	maxEffort = 350_000
)

// skill is a directory with instructions.
type skill struct {
	name, description, dir string
}

// namePattern restricts the names of skills, because each name becomes a value of an enum.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// find returns the skills, ordered by directory. problems says why other entries are not skills.
func find(fsys fs.FS) (skills []skill, problems []string, err error) {
	entries, more, err := list(fsys)
	if err != nil {
		return nil, nil, errors.New("the directory of skills cannot be read; the operator can set it: [mounts] skills = \"DIRECTORY\" in wasmtool.toml")
	}
	if more {
		problems = append(problems, fmt.Sprintf("the directory of skills has more than %d entries; the others are ignored", maxEntries))
	}
	left, unreported := maxEffort, 0
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		dir := entry.Name()
		// Read enough for the front matter and its delimiters.
		content, err := head(fsys, path.Join(dir, fileName), maxFront+64)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if len(skills) == MaxSkills {
			return skills, append(problems, fmt.Sprintf("there are more than %d skills; the others are ignored", MaxSkills)), nil
		}
		var s skill
		before, problem := front(content, err)
		cost := effort(before)
		switch {
		case problem != "":
		case cost > left:
			problem = "parsing the front matter of all SKILL.md files takes too long; shorten it"
		default:
			left -= cost
			s, problem = parse(dir, before)
		}
		if problem == "" && slices.ContainsFunc(skills, func(other skill) bool { return other.name == s.name }) {
			problem = "another skill has the same name; rename one of them"
		}
		switch {
		case problem == "":
			skills = append(skills, s)
		case len(problems) < maxProblems:
			problems = append(problems, plain.Line(dir, maxShown)+": "+problem)
		default:
			unreported++
		}
	}
	if unreported > 0 {
		problems = append(problems, fmt.Sprintf("and %d more", unreported))
	}
	return skills, problems, nil
}

// list returns the entries of the directory of skills, ordered by name. The result more says
// whether there are more than maxEntries.
func list(fsys fs.FS) (entries []fs.DirEntry, more bool, err error) {
	f, err := fsys.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	directory, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, false, fs.ErrInvalid
	}
	for len(entries) <= maxEntries {
		next, err := directory.ReadDir(maxEntries + 1 - len(entries))
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
