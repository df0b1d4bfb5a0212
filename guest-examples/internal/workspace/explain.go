package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxSuggestions is how many names a missing path is answered with.
const maxSuggestions = 3

// Explain turns err, met on the resolved name that the parameter param gave,
// into a text for a model: what is wrong, and for a missing path up to three
// names that may be meant.
func Explain(fsys fs.FS, param, name string, err error) error {
	if _, rootErr := fs.Stat(fsys, "."); rootErr != nil {
		return errors.New("there is no workspace to read; the operator grants one as the directory workspace")
	}
	if errors.Is(err, fs.ErrNotExist) {
		text := fmt.Sprintf("%s: %s does not exist in the workspace", param, Display(name))
		if similar := suggest(fsys, name); len(similar) > 0 {
			text += "; did you mean " + strings.Join(similar, " or ") + "?"
		}
		return errors.New(text)
	}
	return fmt.Errorf("%s: %s can't be read: %w", param, Display(name), cause(err))
}

// cause strips the operation and path from err, as the text names the path
// that the caller gave.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// suggest lists existing paths that look like the missing name. It compares
// the first element that is missing with its siblings.
func suggest(fsys fs.FS, name string) []string {
	if slashed := path.Clean(strings.ReplaceAll(name, `\`, "/")); slashed != name {
		if _, err := fs.Stat(fsys, slashed); err == nil {
			return []string{Display(slashed)}
		}
	}
	elements := strings.Split(name, "/")
	parent := "."
	for i, element := range elements {
		next := path.Join(parent, element)
		if _, err := fs.Stat(fsys, next); err == nil {
			parent = next
			continue
		}
		entries, err := fs.ReadDir(fsys, parent)
		if err != nil {
			return nil
		}
		var similar []string
		for _, sibling := range closest(element, entries) {
			candidate := path.Join(parent, sibling)
			whole := path.Join(append([]string{candidate}, elements[i+1:]...)...)
			if _, err := fs.Stat(fsys, whole); err == nil {
				candidate = whole
			}
			similar = append(similar, Display(candidate))
		}
		return similar
	}
	return nil
}

// closest returns up to maxSuggestions names of entries that resemble name, and
// no others as much.
func closest(name string, entries []fs.DirEntry) []string {
	type scored struct {
		name  string
		score int
	}
	var found []scored
	want := strings.ToLower(name)
	limit := max(2, len(want)/3)
	for _, entry := range entries {
		have := strings.ToLower(entry.Name())
		score := limit + 1
		// A name of one or two letters is contained in nearly every other.
		if min(len(have), len(want)) > 2 && (strings.Contains(have, want) || strings.Contains(want, have)) {
			score = limit
		}
		if abs(len(have)-len(want)) <= limit {
			score = min(score, distance(want, have))
		}
		if score <= limit {
			found = append(found, scored{entry.Name(), score})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return a.score - b.score })
	var names []string
	for _, f := range found[:min(len(found), maxSuggestions)] {
		if f.score == found[0].score {
			names = append(names, f.name)
		}
	}
	return names
}

// distance is the Levenshtein distance between a and b in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substituted := diagonal
			if a[i] != b[j] {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(substituted, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func abs(n int) int {
	return max(n, -n)
}
