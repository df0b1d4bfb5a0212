package toolabi

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Operation returns what a tool does for the value of its parameter operation,
// or an error that names all operations there are.
func Operation[Name ~string, Do any](all map[Name]Do, name Name) (Do, error) {
	do, ok := all[name]
	if !ok {
		return do, fmt.Errorf("operation is %.80q; it must be one of %s", string(name), strings.Join(Operations(all), ", "))
	}
	return do, nil
}

// Operations returns the names of all operations in their order.
func Operations[Name ~string, Do any](all map[Name]Do) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		names = append(names, string(name))
	}
	return names
}

// Place returns the place among n characters or items that at means: a negative
// one counts from the end, and what lies outside is the nearest end.
func Place(at Int, n int) int {
	if at < 0 {
		at += Int(n)
	}
	return int(min(max(at, 0), Int(n)))
}
