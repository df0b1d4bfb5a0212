package toolabi

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Operation returns the function for the value of a tool's parameter operation, or an error that
// names all operations.
func Operation[Name ~string, Do any](all map[Name]Do, name Name) (Do, error) {
	do, ok := all[name]
	if !ok {
		return do, fmt.Errorf(`the argument "operation" is %.80q; it must be one of %s`, string(name), strings.Join(Operations(all), ", "))
	}
	return do, nil
}

// Operations returns the names of all operations in alphabetical order.
func Operations[Name ~string, Do any](all map[Name]Do) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		names = append(names, string(name))
	}
	return names
}

// Place returns a position among n characters or items. A negative number counts from the end. A
// position out of range is clamped.
func Place(at Int, n int) int {
	if at < 0 {
		at += Int(n)
	}
	return int(min(max(at, 0), Int(n)))
}
