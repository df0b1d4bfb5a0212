// Package broadcast tells many listeners what happens without ever waiting for one.
package broadcast

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Hub hands what is published to its listeners. The zero value is ready; it is safe for
// concurrent use.
type Hub[T any] struct {
	mu        sync.Mutex
	closed    bool
	listeners atomic.Pointer[[]*Listener[T]] // replaced as a whole under mu
}

// Listener gets what it wants, in the order of publishing, as far as it keeps up.
type Listener[T any] struct {
	hub     *Hub[T]
	wants   func(T) bool
	dropped atomic.Uint64

	mu     sync.Mutex // held to send and to close
	events chan T
	closed bool
}

// Listen adds a listener that gets what wants tells to, with a buffer of that size, at
// least 1. Wants is called by whoever publishes.
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

// Heard reports whether anybody listens.
func (h *Hub[T]) Heard() bool { return len(h.all()) > 0 }

// Publish hands e to all who want it. Of a listener whose buffer is full, e is dropped.
func (h *Hub[T]) Publish(e T) {
	for _, l := range h.all() {
		if l.wants(e) {
			l.send(e)
		}
	}
}

// Close ends all listeners, now and later.
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

// Events is where what happens comes in. It is closed by Close.
func (l *Listener[T]) Events() <-chan T { return l.events }

// Dropped is how much was lost because the buffer was full.
func (l *Listener[T]) Dropped() uint64 { return l.dropped.Load() }

// Close takes the listener off. What is in the buffer can still be read. Closing again
// does nothing.
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
