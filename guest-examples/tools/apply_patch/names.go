package applypatch

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// paths returns the paths that the changed file may have, the most likely path first. The names may
// begin with directories that the workspace lacks: the prefixes of git, or the two directories that
// diff -r compared. They may also differ at their ends, as after "diff -u x.orig x". Like git apply
// and patch, apply_patch then chooses the file that exists.
func (h *header) paths() []string {
	var paths []string
	if h.git != "" {
		paths = append(paths, h.git)
	}
	older, newer := h.names()
	levels := []int{0, 1}
	if h.isPrefixed() {
		levels = []int{1, 0}
	}
	for _, level := range levels {
		paths = append(paths, byLikelihood(strip(older, level), strip(newer, level))...)
	}
	return withoutRepeats(append(paths, commonEnd(older, newer)))
}

// addedPaths returns the paths that the added file may have. The first path whose top directory
// exists is right. If there is no such path, the last path is right.
func (h *header) addedPaths() []string {
	older, newer := h.names()
	switch {
	case h.git != "":
		return []string{h.git}
	case h.isPrefixed():
		return withoutRepeats([]string{strip(newer, 1)})
	}
	return withoutRepeats([]string{newer, commonEnd(older, newer)})
}

// names returns the two names of the file. If one name is missing, both results are the other name.
func (h *header) names() (older, newer string) {
	older, newer = h.old.name, h.new.name
	if older == devNull {
		older = newer
	}
	if newer == devNull {
		newer = older
	}
	if older == devNull {
		return "", ""
	}
	return older, newer
}

// isPrefixed reports whether the names have the prefixes of git.
func (h *header) isPrefixed() bool {
	older := h.old.name == devNull || strings.HasPrefix(h.old.name, "a/")
	newer := h.new.name == devNull || strings.HasPrefix(h.new.name, "b/")
	return older && newer
}

// strip removes a number of leading directories.
func strip(name string, directories int) string {
	for range directories {
		_, name, _ = strings.Cut(name, "/")
	}
	return name
}

// byLikelihood sorts two names of a file as the program patch does: by the number of directories,
// then by the length of the last element, then by the length of the name.
func byLikelihood(older, newer string) []string {
	names := []string{older, newer}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(
			strings.Count(a, "/")-strings.Count(b, "/"),
			len(path.Base(a))-len(path.Base(b)),
			len(a)-len(b),
		)
	})
	return names
}

// commonEnd returns the last elements that two names have in common.
func commonEnd(a, b string) string {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	count := 0
	for count < min(len(as), len(bs)) && as[len(as)-1-count] == bs[len(bs)-1-count] {
		count++
	}
	return strings.Join(as[len(as)-count:], "/")
}

// withoutRepeats removes empty and repeated names.
func withoutRepeats(names []string) []string {
	var kept []string
	for _, name := range names {
		if name != "" && !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	return kept
}

// gitName returns the name that a line "diff --git" has twice, or "" if its two names differ. They
// may have different first directories, since options of git diff replace the prefixes "a/" and
// "b/".
func gitName(names string) string {
	for i := range len(names) {
		if names[i] != ' ' {
			continue
		}
		older, oldErr := unquote(names[:i])
		newer, newErr := unquote(names[i+1:])
		if oldErr != nil || newErr != nil {
			continue
		}
		if older == newer {
			return older
		}
		if name := strip(older, 1); name != "" && name == strip(newer, 1) {
			return name
		}
	}
	return ""
}
