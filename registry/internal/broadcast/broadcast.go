// Package broadcast publishes events to many listeners without ever waiting for a listener.
package broadcast

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Hub passes published events to its listeners. The zero value is ready to use. A Hub is safe for
// concurrent use.
type Hub[T any] struct {
	mu        sync.Mutex
	closed    bool
	listeners atomic.Pointer[[]*Listener[T]] // replaced as a whole under mu
}

// Listener receives the events that it wants, in the order of publishing. It loses events that it
// does not read in time.
type Listener[T any] struct {
	hub     *Hub[T]
	wants   func(T) bool
	dropped atomic.Uint64

	mu     sync.Mutex // held to send and to close
	events chan T
	closed bool
}

// Listen adds a listener. It receives the events for which wants returns true. buffer is the number
// of unread events that are kept, at least 1. Publish calls the function wants in the publisher's
// goroutine.
func (h *Hub[T]) Listen(buffer int, wants func(T) bool) *Listener[T] {
	l := &Listener[T]{hub: h, wants: wants, events: make(chan T, max(1, buffer))}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		l.end()
		return l
	}
	h.replace(append(slices.Clone(h.all()), l))
	return l
}

func (h *Hub[T]) all() []*Listener[T] {
	if list := h.listeners.Load(); list != nil {
		return *list
	}
	return nil
}

func (h *Hub[T]) replace(list []*Listener[T]) { h.listeners.Store(&list) }

// HasListeners reports whether the hub has listeners.
func (h *Hub[T]) HasListeners() bool { return len(h.all()) > 0 }

// Publish passes e to all listeners that want it. It drops e for listeners whose buffer is full.
func (h *Hub[T]) Publish(e T) {
	for _, l := range h.all() {
		if l.wants(e) {
			l.send(e)
		}
	}
}

// Close closes all listeners. A listener that is added later is closed at once.
func (h *Hub[T]) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, l := range h.all() {
		l.end()
	}
	h.replace(nil)
}

func (l *Listener[T]) send(e T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	select {
	case l.events <- e:
	default:
		l.dropped.Add(1)
	}
}

// Events returns the channel of events, which Close closes.
func (l *Listener[T]) Events() <-chan T { return l.events }

// Dropped returns the number of events that were lost because the buffer was full.
func (l *Listener[T]) Dropped() uint64 { return l.dropped.Load() }

// Close removes the listener from the hub. Events in the buffer can still be read. Closing a
// listener again has no effect.
func (l *Listener[T]) Close() {
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	l.hub.replace(slices.DeleteFunc(slices.Clone(l.hub.all()), func(o *Listener[T]) bool { return o == l }))
	l.end()
}

func (l *Listener[T]) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		close(l.events)
	}
}
