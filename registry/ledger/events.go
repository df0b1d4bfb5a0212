package ledger

import (
	"cmp"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/registry/internal/broadcast"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// EventKind is the kind of an [Event].
type EventKind string

// The kinds of events. The first event of a call is EventStarted. The last is EventCompleted or
// EventFailed.
const (
	EventStarted   EventKind = "started"
	EventUpdated   EventKind = "updated"
	EventAwaiting  EventKind = "awaiting_confirmation"
	EventCompleted EventKind = "completed"
	EventFailed    EventKind = "failed"
	// EventTools means that the tools or their definitions may have changed.
	EventTools EventKind = "tools_changed"
)

// Event is something that happened in a registry. Fields that do not belong to its kind are
// empty.
type Event struct {
	Kind EventKind
	Time time.Time
	// CallRef identifies the call.
	tool.CallRef
	// Update is the update of an EventUpdated. It is shared: do not change it.
	Update tool.Update
	// Why is the reason for asking an approver, in an EventAwaiting.
	Why string
	// Code is the code of the error of an EventFailed.
	Code tool.Code
}

// EventFilter selects the events of a [Subscription]. The zero value selects all.
type EventFilter struct {
	// Tenant and Session select the calls of one tenant and of one session; "" selects all.
	// Every subscription gets EventTools. OfTenant makes an empty Tenant select only the tenant
	// "".
	Tenant, Session string
	OfTenant        bool
	// Kinds are the selected kinds; empty selects all.
	Kinds []EventKind
	// Buffer is the number of unread events that are kept before further events are dropped; 0 or
	// less means 256.
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

// Subscription receives events. It is safe for concurrent use.
type Subscription struct{ listener *broadcast.Listener[Event] }

// Subscribe returns a subscription to events. If it is not read, it loses events but never blocks
// a call. Close it when it is no longer needed; Close of the Ledger also closes it.
func (l *Ledger) Subscribe(f EventFilter) *Subscription {
	return &Subscription{l.events.Listen(cmp.Or(max(f.Buffer, 0), defaultEventBuffer), f.wants)}
}

// Events returns the channel of events. The events of one call are in order. Closing the
// Subscription closes the channel.
func (s *Subscription) Events() <-chan Event { return s.listener.Events() }

// Dropped returns the number of events that were lost because they were not read in time.
func (s *Subscription) Dropped() uint64 { return s.listener.Dropped() }

// Close ends the Subscription. Closing it again has no effect.
func (s *Subscription) Close() { s.listener.Close() }

// publish publishes an event about the call.
func (e *Entry) publish(event Event) {
	if !e.ledger.events.HasListeners() {
		return
	}
	event.Time, event.CallRef = time.Now(), e.state.CallRef
	e.ledger.events.Publish(event)
}

// ToolsChanged publishes an EventTools.
func (l *Ledger) ToolsChanged() { l.events.Publish(Event{Kind: EventTools, Time: time.Now()}) }
