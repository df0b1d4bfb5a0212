// Package results keeps the texts of results that are too long for a model, so that what
// was cut can be read on, or handed to the next call without passing through the model.
//
// A text is kept for the session of a tenant that it was made for, under a handle that
// nobody can guess, and for nobody else. What is kept is bounded; the oldest goes first.
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

// Options bounds a Store. The zero value means the defaults.
type Options struct {
	// MaxTexts and MaxBytes are what is kept for one session of one tenant. A text of more
	// than MaxBytes is not kept.
	MaxTexts, MaxBytes int
	// MaxTotalBytes is what is kept for all, with a few hundred bytes for each text besides,
	// so that many short ones count as what they take. Beyond it, the oldest texts go of the tenant
	// that has most, so that no tenant drives out one that has less.
	MaxTotalBytes int
}

// overhead is about what keeping a text takes beside the text, in bytes.
const overhead = 512

// Owner is for whom a text is kept. All sessions without a name are one.
type Owner struct{ Tenant, Session string }

// Store keeps texts in memory. It is safe for concurrent use. The zero value is not
// usable; see NewStore.
type Store struct {
	o Options

	mu      sync.Mutex
	bytes   int
	texts   map[string]*kept // by handle
	owners  map[Owner]*shelf
	tenants map[string]*shelf
}

// kept is one text.
type kept struct {
	owner             Owner
	handle, text      string
	onOwner, onTenant *list.Element
}

// shelf is texts in the order of keeping.
type shelf struct {
	order list.List // of *kept
	bytes int
}

func (s *shelf) add(k *kept) *list.Element {
	s.bytes += len(k.text)
	return s.order.PushBack(k)
}

func (s *shelf) remove(at *list.Element, k *kept) (empty bool) {
	s.bytes -= len(k.text)
	s.order.Remove(at)
	return s.order.Len() == 0
}

// size is what all of it takes.
func (s *shelf) size() int { return s.bytes + overhead*s.order.Len() }

func (s *shelf) oldest() *kept { return s.order.Front().Value.(*kept) }

// NewStore returns an empty Store.
func NewStore(o Options) *Store {
	o.MaxTexts = cmp.Or(max(o.MaxTexts, 0), DefaultMaxTexts)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), DefaultMaxBytes)
	o.MaxTotalBytes = cmp.Or(max(o.MaxTotalBytes, 0), DefaultMaxTotalBytes)
	return &Store{o: o, texts: make(map[string]*kept), owners: make(map[Owner]*shelf), tenants: make(map[string]*shelf)}
}

// Keep keeps a text and returns its handle. It is false for a text that is too long.
func (s *Store) Keep(owner Owner, text string) (handle string, ok bool) {
	if len(text) > s.o.MaxBytes || len(text)+overhead > s.o.MaxTotalBytes {
		return "", false
	}
	k := &kept{owner: owner, handle: handlePrefix + rand.Text(), text: text}
	s.mu.Lock()
	defer s.mu.Unlock()
	own, tenant := s.owners[owner], s.tenants[owner.Tenant]
	if own == nil {
		own = &shelf{}
		s.owners[owner] = own
	}
	if tenant == nil {
		tenant = &shelf{}
		s.tenants[owner.Tenant] = tenant
	}
	k.onOwner, k.onTenant = own.add(k), tenant.add(k)
	s.texts[k.handle] = k
	s.bytes += len(text) + overhead
	for own.bytes > s.o.MaxBytes || own.order.Len() > s.o.MaxTexts {
		s.remove(own.oldest())
	}
	for s.bytes > s.o.MaxTotalBytes {
		largest, _ := tenants.Most(s.tenants, (*shelf).size, 0)
		s.remove(s.tenants[largest].oldest())
	}
	_, ok = s.texts[k.handle] // a flood of others may have driven it out at once
	return k.handle, ok
}

// remove forgets a text. The lock is held.
func (s *Store) remove(k *kept) {
	delete(s.texts, k.handle)
	s.bytes -= len(k.text) + overhead
	if s.owners[k.owner].remove(k.onOwner, k) {
		delete(s.owners, k.owner)
	}
	if s.tenants[k.owner.Tenant].remove(k.onTenant, k) {
		delete(s.tenants, k.owner.Tenant)
	}
}

// Text returns a whole text. It fails with not_found for a handle that the owner does not
// have, whoever else does.
func (s *Store) Text(owner Owner, handle string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.texts[handle]; k != nil && k.owner == owner {
		return k.text, nil
	}
	const shown = 80
	if len(handle) > shown {
		handle = handle[:shown]
	}
	return "", &tool.Error{
		Code: tool.CodeNotFound, Recoverable: true,
		Message: fmt.Sprintf("the result %q is not kept in this session, or no longer; call the tool again", handle),
	}
}

// Forget forgets all texts of an owner, as at the end of a session.
func (s *Store) Forget(owner Owner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.owners[owner] != nil {
		s.remove(s.owners[owner].oldest())
	}
}
