// Package writelock keeps calls apart that change the same files.
package writelock

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Locks are the paths that are being changed. A path stands for all below it. Letters in
// capitals do not count, since on some file systems they are the same. Links are not
// followed: two ways to one file that differ by a link are two paths. The zero value has
// nothing locked; it is safe for concurrent use.
type Locks struct {
	mu sync.Mutex
	// turns are the calls that hold paths or wait for them, in the order of coming.
	turns []*turn
}

// turn is a call that holds its paths once ready is closed.
type turn struct {
	paths []string // in the form of normal
	ready chan struct{}
	holds bool
}

// Lock waits until no call that came before has one of the paths, which are absolute, or
// one above or below it, and returns what gives them back. It gives up with ctx's error.
// Who asks for all paths at once waits for nobody who waits for them.
func (l *Locks) Lock(ctx context.Context, paths ...string) (unlock func(), err error) {
	if len(paths) == 0 {
		return func() {}, nil
	}
	t := &turn{ready: make(chan struct{})}
	for _, p := range paths {
		t.paths = append(t.paths, normal(p))
	}
	l.mu.Lock()
	l.turns = append(l.turns, t)
	l.admit(len(l.turns) - 1)
	l.mu.Unlock()
	select {
	case <-t.ready:
		return func() { l.leave(t) }, nil
	case <-ctx.Done():
		l.leave(t)
		return nil, ctx.Err()
	}
}

func (l *Locks) leave(t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := slices.Index(l.turns, t); at >= 0 {
		l.turns = slices.Delete(l.turns, at, at+1)
		for i := at; i < len(l.turns); i++ {
			if l.turns[i].overlaps(t) { // others did not wait for it
				l.admit(i)
			}
		}
	}
}

// admit lets a turn go on, if it has none before it. The lock is held.
func (l *Locks) admit(i int) {
	t := l.turns[i]
	if !t.holds && !slices.ContainsFunc(l.turns[:i], t.overlaps) {
		t.holds = true
		close(t.ready)
	}
}

func (t *turn) overlaps(other *turn) bool {
	for _, p := range t.paths {
		for _, q := range other.paths {
			if overlap(p, q) {
				return true
			}
		}
	}
	return false
}

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
