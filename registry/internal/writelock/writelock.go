// Package writelock keeps calls apart that change the same files.
package writelock

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// ErrFull says that too many wait already.
var ErrFull = errors.New("too many calls wait")

// Locks are the paths that are being changed. A path stands for all below it. Letters in
// capitals do not count, since on some file systems they are the same. Links are not
// followed: two ways to one file that differ by a link are two paths. The zero value has
// nothing locked; it is safe for concurrent use.
type Locks struct {
	// MaxWaiting is how many calls wait: 0 is no bound, and less mean none. It is set before
	// the first use. When too many wait, the tenant with most of them makes room.
	MaxWaiting int

	mu sync.Mutex
	// turns are the calls that hold paths or wait for them. Who waits stands in the order of
	// getting them.
	turns []*turn
}

// turn is a call that holds its paths once ready is closed.
type turn struct {
	tenant string
	paths  []string // in the form of normal
	ready  chan struct{}
	holds  bool
	// displaced says that it made room for another, and ready only tells of that.
	displaced bool
}

// Lock waits until no call has one of the paths, which are absolute, or one above or below
// it, nor is to have one before, and returns what gives them back. Tenants get them in turn, and
// within a tenant the calls in the order of coming. It gives up with ctx's error. Who asks
// for all paths at once waits for nobody who waits for them. It fails with
// ErrFull at once when too many wait already, or later when the call made room for another.
func (l *Locks) Lock(ctx context.Context, tenant string, paths ...string) (unlock func(), err error) {
	if len(paths) == 0 {
		return func() {}, nil
	}
	t := &turn{tenant: tenant, ready: make(chan struct{})}
	for _, p := range paths {
		t.paths = append(t.paths, normal(p))
	}
	l.mu.Lock()
	at := l.place(t)
	l.turns = slices.Insert(l.turns, at, t)
	l.admit(at)
	if !t.holds {
		l.makeRoom(t)
	}
	l.mu.Unlock()
	select {
	case <-t.ready:
		if t.displaced {
			return nil, ErrFull
		}
		return func() { l.leave(t) }, nil
	case <-ctx.Done():
		l.leave(t)
		return nil, ctx.Err()
	}
}

func (l *Locks) leave(t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(t)
}

// remove takes a turn off and lets those go on that waited for it. The lock is held.
func (l *Locks) remove(t *turn) {
	if at := slices.Index(l.turns, t); at >= 0 {
		l.turns = slices.Delete(l.turns, at, at+1)
		for i, other := range l.turns {
			if other.overlaps(t) { // others did not wait for it
				l.admit(i)
			}
		}
	}
}

// makeRoom displaces a turn when too many wait: the last of the tenant with most of them, if
// that has more than the tenant of the new one, and else the new one. The lock is held.
func (l *Locks) makeRoom(t *turn) {
	waiting, last := make(map[string]int), make(map[string]*turn)
	count := 0
	for _, other := range l.turns {
		if !other.holds {
			count++
			waiting[other.tenant]++
			last[other.tenant] = other
		}
	}
	if l.MaxWaiting == 0 || count <= max(l.MaxWaiting, 0) {
		return
	}
	out := t
	for tenant, n := range waiting {
		if n > waiting[t.tenant] && (out == t || n > waiting[out.tenant] || n == waiting[out.tenant] && tenant < out.tenant) {
			out = last[tenant]
		}
	}
	out.displaced = true
	close(out.ready)
	l.remove(out)
}

// place is where a new turn is to stand: behind those of its tenant, and before those that wait
// of tenants with more calls before them. The lock is held.
func (l *Locks) place(t *turn) int {
	before := make([]int, len(l.turns)) // how many each has of its tenant before it
	count := make(map[string]int)
	for i, other := range l.turns {
		before[i] = count[other.tenant]
		count[other.tenant]++
	}
	at := len(l.turns)
	for ; at > 0; at-- {
		other := l.turns[at-1]
		if other.tenant == t.tenant || !other.holds && before[at-1] <= count[t.tenant] {
			break
		}
	}
	return at
}

// admit lets a turn go on, if nobody holds what it wants and nobody before it waits for that.
// The lock is held.
func (l *Locks) admit(i int) {
	t := l.turns[i]
	for k, other := range l.turns {
		if k != i && (other.holds || k < i) && t.overlaps(other) {
			return
		}
	}
	if !t.holds {
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
