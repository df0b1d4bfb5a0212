package callqueue

import (
	"path/filepath"
	"strings"
)

// Overlap reports whether one of two paths is the other, or above it.
func Overlap(a, b string) bool { return overlap(normal(a), normal(b)) }

func overlap(a, b string) bool { return within(a, b) || within(b, a) }

// normal is the form in which paths are compared.
func normal(path string) string { return strings.ToLower(filepath.Clean(path)) }

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || dir[len(dir)-1] == filepath.Separator)
}
