package state

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/internal/tenants"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// DefaultMaxEnded is how many calls that ended are kept.
const DefaultMaxEnded = 1000

// MaxResult is how large a result may be to be kept, in bytes of its
// contents.
const MaxResult = 64 << 10

// The errors of a Store. Illegal moves have errors of their own that say which it was.
var (
	// ErrLive: a call of that ID and tenant is on its way.
	ErrLive = errors.New("a call of that id is on its way")
	// ErrUnknown: there is no such call, or not any more.
	ErrUnknown = errors.New("there is no such call")
	// ErrEnded: the call has ended, and what ended does not change.
	ErrEnded = errors.New("the call has ended")
	// ErrInvalid: metadata that is no JSON.
	ErrInvalid = errors.New("the metadata are no JSON")
	// ErrTooLarge: more metadata, or longer texts, than a call may have.
	ErrTooLarge = errors.New("there is more metadata than a call may have")
)

// Store holds the calls that are on their way, all of them, and the last of those that
// ended. IDs are each tenant's own. It is safe for concurrent use; New makes one.
type Store struct {
	mu    sync.Mutex
	live  map[key]*Entry
	ended *tenants.Table[Call]
}

type key struct{ tenant, id string }

// New returns an empty Store that keeps at most so many calls that ended; 0 means
// DefaultMaxEnded, and less than 0 one. Beyond that the tenant with most of them loses its
// oldest.
func New(maxEnded int) *Store {
	if maxEnded == 0 {
		maxEnded = DefaultMaxEnded
	}
	return &Store{live: make(map[key]*Entry), ended: tenants.New[Call](maxEnded)}
}

// Entry is a call on its way. Only whoever runs the call has it.
type Entry struct {
	store *Store
	call  Call // guarded by store.mu
}

// Begin enters a call as pending. It fails with ErrLive when there is one of that ID and
// tenant; one that ended gives way.
func (s *Store) Begin(c Call) (*Entry, error) {
	c.Status, c.Revision = Pending, 1
	k := key{c.Tenant, c.ID}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live[k] != nil {
		return nil, ErrLive
	}
	s.ended.Forget(c.Tenant, c.ID)
	e := &Entry{store: s, call: c}
	s.live[k] = e
	return e, nil
}

// Move takes the call to another status before its end. A move that is none of those that
// there are is an error, and changes nothing.
func (e *Entry) Move(to Status) error {
	if to.Ended() {
		return fmt.Errorf("a call becomes %s by End alone", to)
	}
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	return e.move(to)
}

func (e *Entry) move(to Status) error {
	from := e.call.Status
	if from.Ended() {
		return ErrEnded
	}
	if !from.CanBecome(to) {
		return fmt.Errorf("a call that is %s cannot become %s", from, to)
	}
	e.call.Status = to
	e.call.Revision++
	return nil
}

// Named gives the call the name of the tool that was found for it.
func (e *Entry) Named(toolName string) {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	if !e.call.Status.Ended() {
		e.call.Tool = toolName
	}
}

// Update takes in what the tool tells of the call, as a whole or, with an error, not at
// all: ErrEnded, ErrInvalid or ErrTooLarge.
func (e *Entry) Update(u tool.Update) error {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	if e.call.Status.Ended() {
		return ErrEnded
	}
	if err := e.call.merge(u); err != nil {
		return err
	}
	e.call.Revision++
	return nil
}

// End ends the call with its result, and with the error when it failed. Ending again is
// ErrEnded and changes nothing.
func (e *Entry) End(at time.Time, result tool.Result, failure *tool.Error) error {
	keep := result.Size() <= MaxResult
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	to := Completed
	if failure != nil {
		to = Error
	}
	if err := e.move(to); err != nil {
		return err
	}
	e.call.Ended, e.call.Err, e.call.ResultOmitted = at, failure, !keep
	if keep {
		e.call.Result = &result
	}
	ended := e.call.clone()
	delete(e.store.live, key{ended.Tenant, ended.ID})
	e.store.ended.Use(ended.Tenant, ended.ID, func(c *Call) { *c = ended })
	return nil
}

// Get returns a call, on its way or kept after its end.
func (s *Store) Get(tenant, id string) (Call, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.live[key{tenant, id}]; e != nil {
		return e.call.clone(), true
	}
	var call Call
	found := false
	s.ended.Look(tenant, id, func(c *Call) { call, found = c.clone(), true })
	return call, found
}

// Update is Entry.Update for whoever knows the call by its ID. It also fails with
// ErrUnknown.
func (s *Store) Update(tenant, id string, u tool.Update) error {
	s.mu.Lock()
	e := s.live[key{tenant, id}]
	s.mu.Unlock()
	if e != nil {
		return e.Update(u)
	}
	if _, ended := s.Get(tenant, id); ended {
		return ErrEnded
	}
	return ErrUnknown
}

// List returns the calls of a tenant: those on their way by the time of their start, the
// newest first, and then those that ended, the last ended first.
func (s *Store) List(tenant string) []Call {
	list := []Call{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, e := range s.live {
		if k.tenant == tenant {
			list = append(list, e.call.clone())
		}
	}
	slices.SortFunc(list, func(a, b Call) int { return b.Started.Compare(a.Started) })
	s.ended.Each(tenant, func(c *Call) { list = append(list, c.clone()) })
	return list
}

// Clear forgets the calls of a tenant that ended. Those on their way stay.
func (s *Store) Clear(tenant string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended.ForgetAll(tenant)
}
