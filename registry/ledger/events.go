package ledger

import (
	"cmp"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/registry/internal/broadcast"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// EventKind is what an Event tells.
type EventKind string

// The kinds of events. A call has EventStarted first and one of EventCompleted and
// EventFailed last.
const (
	EventStarted   EventKind = "started"
	EventUpdated   EventKind = "updated"
	EventAwaiting  EventKind = "awaiting_confirmation"
	EventCompleted EventKind = "completed"
	EventFailed    EventKind = "failed"
	// EventTools: which tools there are, or what they are, may have changed.
	EventTools EventKind = "tools_changed"
)

// Event is something that happened in a registry. What does not belong to its kind is
// empty.
type Event struct {
	Kind EventKind
	Time time.Time
	// CallRef is the call.
	tool.CallRef
	// Update is what an EventUpdated tells. It is shared: do not change it.
	Update tool.Update
	// Why is what made a question of the call of an EventAwaiting.
	Why string
	// Code is how the call of an EventFailed ended.
	Code tool.Code
}

// EventFilter says which events a Subscription gets. The zero value means all.
type EventFilter struct {
	// Tenant and Session leave only the calls of that tenant, and of that session;
	// EventTools comes to everybody. OfTenant makes "" a tenant, too.
	Tenant, Session string
	OfTenant        bool
	// Kinds are those that come; empty means all.
	Kinds []EventKind
	// Buffer is how many events wait for the reader before others are dropped; 0 and less
	// mean 256.
	Buffer int
}

const defaultEventBuffer = 256

func (f EventFilter) wants(e Event) bool {
	if len(f.Kinds) > 0 && !slices.Contains(f.Kinds, e.Kind) {
		return false
	}
	if e.Kind == EventTools {
		return true
	}
	return (e.Tenant == f.Tenant || f.Tenant == "" && !f.OfTenant) && (f.Session == "" || e.Session == f.Session)
}

// Subscription gets events. It is safe for concurrent use.
type Subscription struct{ listener *broadcast.Listener[Event] }

// Subscribe begins to listen. A Subscription that is not read loses events and never
// keeps a call waiting. Close it when it is not wanted any more; Close of the Ledger
// does, too.
func (l *Ledger) Subscribe(f EventFilter) *Subscription {
	return &Subscription{l.events.Listen(cmp.Or(max(f.Buffer, 0), defaultEventBuffer), f.wants)}
}

// Events is where they come in, those of one call in order. It is closed with the
// Subscription.
func (s *Subscription) Events() <-chan Event { return s.listener.Events() }

// Dropped is how many events were lost because nobody read them.
func (s *Subscription) Dropped() uint64 { return s.listener.Dropped() }

// Close ends the Subscription. Closing again does nothing.
func (s *Subscription) Close() { s.listener.Close() }

// publish tells of the call.
func (e *Entry) publish(event Event) {
	if !e.ledger.events.Heard() {
		return
	}
	event.Time, event.CallRef = time.Now(), e.state.CallRef
	e.ledger.events.Publish(event)
}

// ToolsChanged publishes that the tools may be others now.
func (l *Ledger) ToolsChanged() { l.events.Publish(Event{Kind: EventTools, Time: time.Now()}) }
