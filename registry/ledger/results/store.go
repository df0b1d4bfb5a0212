// Package results stores texts of results that are too long for a model. A model can read the
// omitted part later, or pass the text to another call without reading it.
//
// Each text belongs to one session of one tenant, and only that session can read it. Its handle
// cannot be guessed. The store is bounded; the oldest texts are deleted first.
package results

import (
	"cmp"
	"container/list"
	"crypto/rand"
	"fmt"
	"sync"

	"github.com/wasmtool/wasmtool/internal/tenants"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Defaults of Options.
const (
	DefaultMaxTexts      = 64
	DefaultMaxBytes      = 16 << 20
	DefaultMaxTotalBytes = 256 << 20
)

// Options limits a [Store]. The zero value means the defaults.
type Options struct {
	// MaxTexts and MaxBytes limit the texts of one session of one tenant. A text larger than
	// MaxBytes is not stored.
	MaxTexts, MaxBytes int
	// MaxTotalBytes limits all texts together, including an overhead of a few hundred bytes for
	// each text. At the limit, the tenant that uses the most loses its oldest texts. A tenant
	// therefore cannot displace texts of a tenant that uses less.
	MaxTotalBytes int
}

// overhead is roughly the memory for storing a text in addition to the text, in bytes.
const overhead = 512

// Owner is the session that a text belongs to. All calls of a tenant without a session share one
// Owner.
type Owner struct{ Tenant, Session string }

// Store keeps texts in memory. It is safe for concurrent use. The zero value is not usable; call
// [NewStore].
type Store struct {
	o Options

	mu      sync.Mutex
	bytes   int
	texts   map[string]*entry // by handle
	owners  map[Owner]*queue
	tenants map[string]*queue
}

// entry is one stored text.
type entry struct {
	owner             Owner
	handle, text      string
	inOwner, inTenant *list.Element // positions in the queues of owner and tenant
}

// queue is a list of texts, oldest first.
type queue struct {
	order list.List // of *entry
	bytes int
}

func (q *queue) add(e *entry) *list.Element {
	q.bytes += len(e.text)
	return q.order.PushBack(e)
}

func (q *queue) remove(at *list.Element, e *entry) (empty bool) {
	q.bytes -= len(e.text)
	q.order.Remove(at)
	return q.order.Len() == 0
}

// size returns the memory that the texts use, in bytes.
func (q *queue) size() int { return q.bytes + overhead*q.order.Len() }

func (q *queue) oldest() *entry { return q.order.Front().Value.(*entry) }

// NewStore returns an empty Store.
func NewStore(o Options) *Store {
	o.MaxTexts = cmp.Or(max(o.MaxTexts, 0), DefaultMaxTexts)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), DefaultMaxBytes)
	o.MaxTotalBytes = cmp.Or(max(o.MaxTotalBytes, 0), DefaultMaxTotalBytes)
	return &Store{o: o, texts: make(map[string]*entry), owners: make(map[Owner]*queue), tenants: make(map[string]*queue)}
}

// Keep stores a text and returns its handle. It returns false if the text is too large.
func (s *Store) Keep(owner Owner, text string) (handle string, ok bool) {
	if len(text) > s.o.MaxBytes || len(text)+overhead > s.o.MaxTotalBytes {
		return "", false
	}
	e := &entry{owner: owner, handle: handlePrefix + rand.Text(), text: text}
	s.mu.Lock()
	defer s.mu.Unlock()
	own, tenant := s.owners[owner], s.tenants[owner.Tenant]
	if own == nil {
		own = &queue{}
		s.owners[owner] = own
	}
	if tenant == nil {
		tenant = &queue{}
		s.tenants[owner.Tenant] = tenant
	}
	e.inOwner, e.inTenant = own.add(e), tenant.add(e)
	s.texts[e.handle] = e
	s.bytes += len(text) + overhead
	for own.bytes > s.o.MaxBytes || own.order.Len() > s.o.MaxTexts {
		s.remove(own.oldest())
	}
	for s.bytes > s.o.MaxTotalBytes {
		largest, _ := tenants.Largest(s.tenants, (*queue).size, 0)
		s.remove(s.tenants[largest].oldest())
	}
	_, ok = s.texts[e.handle] // the new text itself may have been removed
	return e.handle, ok
}

// remove deletes a text. The caller holds the lock.
func (s *Store) remove(e *entry) {
	delete(s.texts, e.handle)
	s.bytes -= len(e.text) + overhead
	if s.owners[e.owner].remove(e.inOwner, e) {
		delete(s.owners, e.owner)
	}
	if s.tenants[e.owner.Tenant].remove(e.inTenant, e) {
		delete(s.tenants, e.owner.Tenant)
	}
}

// Text returns a full text. It fails with not_found if the owner has no text with this handle,
// even if another owner has one.
func (s *Store) Text(owner Owner, handle string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.texts[handle]; e != nil && e.owner == owner {
		return e.text, nil
	}
	const shown = 80
	if len(handle) > shown {
		handle = handle[:shown]
	}
	return "", &tool.Error{
		Code: tool.CodeNotFound, Recoverable: true,
		Message: fmt.Sprintf("this session has no stored result %q, or it was deleted; call the tool again", handle),
	}
}

// Forget deletes all texts of an owner, for example at the end of a session.
func (s *Store) Forget(owner Owner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.owners[owner] != nil {
		s.remove(s.owners[owner].oldest())
	}
}
