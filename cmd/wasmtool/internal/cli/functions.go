package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

// functionList collects the functions of modules that run, for a file. It is safe for concurrent
// use. A nil list collects none.
type functionList struct {
	file string // empty means that none are collected

	mu    sync.Mutex
	lines []string
}

// listener returns the function that adds to the list, or nil if none are collected.
func (l *functionList) listener() func(digest string, index uint32) {
	if l == nil || l.file == "" {
		return nil
	}
	return func(digest string, index uint32) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lines = append(l.lines, fmt.Sprintf("%s %d\n", digest, index))
	}
}

// write writes the list to the file, if any.
func (l *functionList) write() error {
	if l.file == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.Sort(l.lines)
	return outputFailed(os.WriteFile(l.file, []byte(strings.Join(slices.Compact(l.lines), "")), 0o666))
}
