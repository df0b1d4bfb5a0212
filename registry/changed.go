package registry

import "sync"

// listeners are those who want to hear that the catalogue may have changed. It is safe for
// concurrent use; the zero value has none.
type listeners struct {
	mu   sync.Mutex
	last int
	all  map[int]func()
}

// OnChange calls f after each change of what List may return: a tool was registered,
// replaced, updated, removed or switched, or the Rules are others. It may be called when
// nothing changed after all, concurrently, and once more just after stop returned; it reads
// the catalogue itself and returns soon, for whoever made the change waits.
func (r *Registry) OnChange(f func()) (stop func()) {
	l := &r.listeners
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = make(map[int]func())
	}
	l.last++
	id := l.last
	l.all[id] = f
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.all, id)
	}
}

// changed tells all who listen. No lock of the Registry is held.
func (r *Registry) changed() {
	r.listeners.mu.Lock()
	all := make([]func(), 0, len(r.listeners.all))
	for _, f := range r.listeners.all {
		all = append(all, f)
	}
	r.listeners.mu.Unlock()
	for _, f := range all {
		f()
	}
}
