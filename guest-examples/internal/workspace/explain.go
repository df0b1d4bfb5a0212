package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
)

// maxSuggestions limits the names suggested for a missing path.
const maxSuggestions = 3

var errNoWorkspace = errors.New("there is no workspace; the operator must grant the directory \"workspace\"")

// Explain rewords err, an error about the file name, for a model. The name was resolved from the
// parameter param. The message says what is wrong and at which part of the path. For a missing path
// it suggests up to three names.
func Explain(fsys fs.FS, param, name string, err error) error {
	if _, rootErr := fs.Stat(fsys, "."); rootErr != nil {
		return errNoWorkspace
	}
	at, what := obstacle(fsys, name)
	switch {
	case at == name:
		return fmt.Errorf("%s: %s %s", param, Display(name), what)
	case at != "":
		return fmt.Errorf("%s: %s can't be read: %s %s", param, Display(name), Display(at), what)
	case errors.Is(err, fs.ErrNotExist):
		missing := fmt.Sprintf("%s: %s does not exist%s", param, Display(name), dirOf(fsys).in(name))
		if similar := suggest(fsys, name); len(similar) > 0 {
			missing += "; did you mean " + strings.Join(similar, " or ") + "?"
		}
		return errors.New(missing)
	}
	return fmt.Errorf("%s: %s can't be read: %w", param, Display(name), cause(err))
}

// explainWrite is [Explain] for an error that occurred while writing.
func (d Dir) explainWrite(param, name string, err error) error {
	if _, rootErr := fs.Stat(d, "."); rootErr != nil {
		return errNoWorkspace
	}
	if errors.Is(err, syscall.EROFS) {
		where := "the workspace"
		if m, _ := d.mountOf(d.full(name)); m.at != Mount {
			where = m.at
		}
		return fmt.Errorf("%s: %s can't be written: the operator granted %s only for reading", param, Display(name), where)
	}
	at, what := obstacle(d, path.Dir(name))
	if at == "" && errors.Is(err, fs.ErrPermission) {
		at, what = linkIn(d, path.Dir(name))
	}
	if at != "" {
		return fmt.Errorf("%s: %s can't be written: %s %s", param, Display(name), Display(at), what)
	}
	return fmt.Errorf("%s: %s can't be written: %w", param, Display(name), cause(err))
}

// cause removes the operation and path from err, because the message has the path that the caller
// gave.
func cause(err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		return pathErr.Err
	case errors.As(err, &linkErr):
		return linkErr.Err
	}
	return err
}

// suggest lists existing paths that resemble the missing name. It compares the first missing
// element of the path with its siblings.
func suggest(fsys fs.FS, name string) []string {
	if slashed := path.Clean(strings.ReplaceAll(name, `\`, "/")); slashed != name {
		if exists(fsys, slashed) {
			return []string{Display(slashed)}
		}
	}
	d := dirOf(fsys)
	if m, _ := d.mountOf(d.base); d.base != m.at && !path.IsAbs(name) {
		// A caller may give a path relative to the workspace and not to the working directory.
		if full := path.Join(m.at, name); exists(fsys, full) {
			return []string{Display(full)}
		}
	}
	parent, elements := d.split(name)
	for i, element := range elements {
		next := path.Join(parent, element)
		if exists(fsys, next) {
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
			if exists(fsys, whole) {
				candidate = whole
			}
			similar = append(similar, Display(candidate))
		}
		return similar
	}
	return nil
}

func exists(fsys fs.FS, name string) bool {
	_, err := fs.Stat(fsys, name)
	return err == nil
}

// closest returns up to maxSuggestions names of the entries that are most similar to the given
// name.
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
		// Nearly every name contains a given name of one or two letters, so this comparison skips
		// names that short.
		if min(len(have), len(want)) > 2 && (strings.Contains(have, want) || strings.Contains(want, have)) {
			score = limit
		}
		if abs(len(have)-len(want)) <= limit {
			score = min(score, text.Distance(want, have))
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

func abs(n int) int {
	return max(n, -n)
}
