package history

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/internal/tenants"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Defaults of Options, and the bound on what a Record keeps.
const (
	// DefaultPerSession is how many calls of a session are kept.
	DefaultPerSession = 100
	// DefaultMaxSessions is of how many sessions they are kept.
	DefaultMaxSessions = 250
	// MaxParameters is how long parameters may be, in bytes, to be kept themselves.
	MaxParameters = 2 << 10
)

// Options configures a Log. The zero value has the defaults.
type Options struct {
	// PerSession is how many calls of a session are kept, the last ones; 0 means
	// DefaultPerSession, and less than 0 none.
	PerSession int
	// MaxSessions is of how many sessions calls are kept; 0 and less mean
	// DefaultMaxSessions. Beyond that, the tenant with most sessions loses the one that it
	// used least lately.
	MaxSessions int
	// Sink gets every Record when its call has ended, before it is kept; nil means that
	// nobody wants them. It is called concurrently, and a call returns only after it: keep
	// it short.
	Sink func(Record)
}

// Record is one call that has ended.
type Record struct {
	tool.CallRef
	// Parameters is the JSON that the tool got, or that was sent when it was not fit to be
	// handed on; empty when it is longer than MaxParameters. It may hold what the caller
	// would not tell everybody.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// ParametersHash is equal for equal JSON, whatever the order of fields and the form of
	// numbers, and ResultHash for equal results.
	ParametersHash string `json:"parameters_hash"`
	ResultHash     string `json:"result_hash"`
	// Started is when the call began, and Duration how long it took, in nanoseconds in
	// JSON.
	Started  time.Time     `json:"timestamp"`
	Duration time.Duration `json:"duration_ns"`
	// Code is that of the Error with which it ended; empty for success.
	Code tool.Code `json:"code,omitempty"`
	// Changed says that it may have changed something, as its Usage tells.
	Changed bool `json:"changed,omitempty"`
}

// Log keeps Records. It is safe for concurrent use; New makes one.
type Log struct {
	per      int
	sink     func(Record)
	sessions *tenants.Table[ring]
}

// ring are the last Records of a session; once it is full, next is the oldest.
type ring struct {
	records []Record
	next    int
}

// New returns an empty Log.
func New(o Options) *Log {
	o.PerSession = cmp.Or(o.PerSession, DefaultPerSession)
	o.MaxSessions = cmp.Or(max(o.MaxSessions, 0), DefaultMaxSessions)
	return &Log{per: o.PerSession, sink: o.Sink, sessions: tenants.New[ring](o.MaxSessions)}
}

// Wanted reports whether anybody wants Records: a Sink, or who looks at what is kept.
func (l *Log) Wanted() bool { return l.sink != nil || l.per > 0 }

// Add hands a Record to the Sink and keeps it.
func (l *Log) Add(r Record) {
	if l.sink != nil {
		l.sink(r)
	}
	if l.per < 0 {
		return
	}
	r.Parameters = slices.Clone(r.Parameters)
	l.sessions.Use(r.Tenant, r.Session, func(own *ring) {
		if len(own.records) < l.per {
			own.records = append(own.records, r)
			return
		}
		own.records[own.next] = r
		own.next = (own.next + 1) % l.per
	})
}

// Calls returns the calls of a session, the newest first, at most so many; 0 and less
// mean all that are kept.
func (l *Log) Calls(tenant, session string, limit int) []Record {
	list := []Record{}
	l.sessions.Look(tenant, session, func(own *ring) {
		n := len(own.records)
		if limit <= 0 || limit > n {
			limit = n
		}
		for i := range limit {
			r := own.records[(own.next+n-1-i)%n]
			r.Parameters = slices.Clone(r.Parameters)
			list = append(list, r)
		}
	})
	return list
}

// Forget drops the calls of a session.
func (l *Log) Forget(tenant, session string) { l.sessions.Forget(tenant, session) }
