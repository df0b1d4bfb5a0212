package history

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/internal/tenants"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Defaults and limits.
const (
	// DefaultPerSession is the default number of calls that are kept for each session.
	DefaultPerSession = 100
	// DefaultMaxSessions is the default number of sessions whose calls are kept.
	DefaultMaxSessions = 250
	// MaxParameters is the max size of parameters that are kept, in bytes.
	MaxParameters = 2 << 10
)

// Options configures a [Log]. The zero value means the defaults.
type Options struct {
	// PerSession is the number of calls that are kept for each session; 0 means
	// DefaultPerSession, and less than 0 means none.
	PerSession int
	// MaxSessions limits the sessions whose calls are kept; 0 or less means DefaultMaxSessions. At
	// the limit, the tenant with the most sessions loses its least recently used session.
	MaxSessions int
	// Sink receives every Record when its call has ended, before the Record is kept; nil means
	// none. It is called concurrently. The call waits for it, so it must be fast.
	Sink func(Record)
}

// Record describes a call that has ended.
type Record struct {
	tool.CallRef
	// Parameters is the JSON for the tool, or the JSON as sent if it was invalid. It is empty if
	// it is longer than MaxParameters. It may contain confidential data.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// ParametersHash is equal for equal JSON, even if the order of fields or the notation of
	// numbers differs. ResultHash is equal for equal results.
	ParametersHash string `json:"parameters_hash"`
	ResultHash     string `json:"result_hash"`
	// Started is when the call began. Duration is how long it took, in nanoseconds in JSON.
	Started  time.Time     `json:"timestamp"`
	Duration time.Duration `json:"duration_ns"`
	// Code is the code of the Error that ended the call; empty means success.
	Code tool.Code `json:"code,omitempty"`
	// Changed is set if the call may have changed something, according to its Usage.
	Changed bool `json:"changed,omitempty"`
}

// Log keeps Records. It is safe for concurrent use. The zero value is not usable; call [New].
type Log struct {
	per      int
	sink     func(Record)
	sessions *tenants.Table[ring]
}

// ring holds the last Records of a session. When it is full, next is the index of the oldest.
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

// Wanted reports whether Records are kept or passed to a Sink.
func (l *Log) Wanted() bool { return l.sink != nil || l.per > 0 }

// Add passes a Record to the Sink and keeps it.
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

// Calls returns the calls of a session, newest first. limit is the max number of calls; 0 or less
// means all calls that are kept.
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

// Forget deletes the calls of a session.
func (l *Log) Forget(tenant, session string) { l.sessions.Forget(tenant, session) }
