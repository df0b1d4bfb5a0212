package process

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/internal/tenants"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Defaults of Options.
const (
	DefaultTool             = "bash"
	DefaultParameter        = "command"
	DefaultTimeoutParameter = "timeout_ms"
	DefaultMaxJobs          = 16
	DefaultMaxTenant        = 256
	DefaultMaxTotal         = 1024
	DefaultKeepFor          = time.Hour
	DefaultTimeout          = 10 * time.Minute
)

// Options configures a Table. The zero value is usable.
type Options struct {
	// Tool is the tool whose calls the jobs are, and Parameter the one that takes what is to
	// be run; empty means DefaultTool and DefaultParameter.
	Tool, Parameter string
	// TimeoutParameter is the one that takes the time of a job in milliseconds, for a tool
	// that ends in time by itself and so has something to show; empty means that there is
	// none, but DefaultTimeoutParameter where Tool is empty.
	TimeoutParameter string
	// MaxJobs is how many jobs a session may have, those that have ended included, MaxTenant
	// how many a tenant, and MaxTotal how many there may be in all; 0 means DefaultMaxJobs,
	// DefaultMaxTenant and DefaultMaxTotal. Ended jobs make room, the oldest first, and those
	// of a tenant for none that has more.
	MaxJobs, MaxTenant, MaxTotal int
	// MaxRunning is how many jobs of a tenant may run, or wait to, so that its other calls have
	// a place, too; 0 means MaxTenant, which is the most.
	MaxRunning int
	// KeepFor is how long a job that has ended is kept; 0 means DefaultKeepFor.
	KeepFor time.Duration
	// Timeout is the time of a job whose start names none, and MaxTimeout the most that one
	// may name, in whole seconds; 0 means DefaultTimeout, which is what bash takes at most, or
	// Timeout where that is more. The registry's own ceiling holds besides.
	Timeout, MaxTimeout time.Duration
}

// owner is whose jobs they are.
type owner struct{ tenant, session string }

// Table holds the jobs. It is safe for concurrent use. The zero value is not usable; see
// NewTable.
type Table struct {
	o    Options
	base context.Context // that all jobs end with
	end  context.CancelFunc

	mu   sync.Mutex
	jobs []*job // in the order of their start
	// names counts those that were given out to owners that have jobs.
	names map[owner]int
}

// NewTable returns an empty Table.
func NewTable(o Options) *Table {
	if o.Tool == "" {
		o.Tool = DefaultTool
		o.TimeoutParameter = cmp.Or(o.TimeoutParameter, DefaultTimeoutParameter)
	}
	o.Parameter = cmp.Or(o.Parameter, DefaultParameter)
	o.MaxJobs = cmp.Or(max(o.MaxJobs, 0), DefaultMaxJobs)
	o.MaxTenant = cmp.Or(max(o.MaxTenant, 0), DefaultMaxTenant)
	o.MaxTotal = cmp.Or(max(o.MaxTotal, 0), DefaultMaxTotal)
	if o.MaxRunning <= 0 || o.MaxRunning > o.MaxTenant {
		o.MaxRunning = o.MaxTenant
	}
	o.KeepFor = cmp.Or(max(o.KeepFor, 0), DefaultKeepFor)
	o.Timeout = cmp.Or(max(o.Timeout, 0), DefaultTimeout)
	o.MaxTimeout = cmp.Or(max(o.MaxTimeout, 0), DefaultTimeout)
	o.MaxTimeout = max(o.MaxTimeout, o.Timeout, time.Second)
	base, end := context.WithCancel(context.Background())
	return &Table{o: o, base: base, end: end, names: map[owner]int{}}
}

// Tool is the tool whose calls the jobs are.
func (t *Table) Tool() string { return t.o.Tool }

// Close ends all jobs and waits until they have ended. Nothing starts any more. Closing
// again does nothing.
func (t *Table) Close() error {
	t.end()
	t.mu.Lock()
	all := slices.Clone(t.jobs)
	t.mu.Unlock()
	for _, j := range all {
		<-j.ended
	}
	return nil
}

// add gives a job its name, enters it, and begins its call by begin, which must not wait.
func (t *Table) add(o owner, command string, begin func(*job) tool.Started) (*job, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.base.Err() != nil {
		return nil, &tool.Error{Code: tool.CodeCancelled, Message: "no jobs are started any more: the program is about to end"}
	}
	t.dropExpired()
	ofSession := func(j *job) bool { return j.owner == o }
	ofTenant := func(j *job) bool { return j.owner.tenant == o.tenant }
	if n := t.count(ofSession); n >= t.o.MaxJobs && !t.dropEnded(ofSession) {
		return nil, full("this session has %d jobs that run; wait for one, or end one with kill", n)
	}
	if n := t.count(func(j *job) bool { return ofTenant(j) && !j.over() }); n >= t.o.MaxRunning {
		return nil, full("%d jobs run already in your sessions together, and other calls need a place, too; wait for one, or end one with kill", n)
	}
	has := tenants.Count(slices.Values(t.jobs), func(j *job) string { return j.owner.tenant })
	if has[o.tenant] >= t.o.MaxTenant { // and fewer run, so that one has ended
		t.dropEnded(ofTenant)
	}
	if n := len(t.jobs); n >= t.o.MaxTotal && !t.dropEnded(func(j *job) bool { return has[j.owner.tenant] >= has[o.tenant] }) {
		return nil, full("%d jobs run already, of all sessions together; try again later", n)
	}
	t.names[o]++
	j := &job{
		owner: o, id: fmt.Sprintf("job_%d", t.names[o]), command: command,
		started: time.Now(), ended: make(chan struct{}), state: stateWaiting,
	}
	j.call = begin(j)
	go j.await()
	t.jobs = append(t.jobs, j)
	return j, nil
}

func full(format string, args ...any) error {
	return &tool.Error{Code: tool.CodeResourceExhausted, Message: fmt.Sprintf(format, args...), Details: tool.Details{Limit: "jobs"}}
}

// remove takes a job away that came to nothing.
func (t *Table) remove(j *job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := slices.Index(t.jobs, j); at >= 0 {
		t.drop(at)
	}
}

// t.mu is held in the next four.

// drop takes a job away. Names are counted for as long as they could be mixed up.
func (t *Table) drop(at int) {
	o := t.jobs[at].owner
	t.jobs = slices.Delete(t.jobs, at, at+1)
	if !slices.ContainsFunc(t.jobs, func(j *job) bool { return j.owner == o }) {
		delete(t.names, o)
	}
}

// count returns how many jobs are meant.
func (t *Table) count(meant func(*job) bool) (n int) {
	for _, j := range t.jobs {
		if meant(j) {
			n++
		}
	}
	return n
}

// dropEnded takes the oldest job away that has ended, of those that are meant, if there is
// one.
func (t *Table) dropEnded(meant func(*job) bool) bool {
	at := slices.IndexFunc(t.jobs, func(j *job) bool { return meant(j) && j.over() })
	if at >= 0 {
		t.drop(at)
	}
	return at >= 0
}

func (t *Table) dropExpired() {
	for n, j := range slices.Backward(t.jobs) {
		if at, over := j.endedAt(); over && time.Since(at) > t.o.KeepFor {
			t.drop(n)
		}
	}
}

// list returns the jobs of an owner, in the order of their start.
func (t *Table) list(o owner) []*job {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropExpired()
	return slices.DeleteFunc(slices.Clone(t.jobs), func(j *job) bool { return j.owner != o })
}

// find returns a job of an owner.
func (t *Table) find(o owner, id string) (*job, error) {
	jobs := t.list(o)
	if at := slices.IndexFunc(jobs, func(j *job) bool { return j.id == id }); at >= 0 {
		return jobs[at], nil
	}
	if id == "" {
		return nil, &tool.Error{Code: tool.CodeInvalidArgument, Message: "id is missing: which job? list shows them"}
	}
	return nil, tool.Errorf(tool.CodeNotFound, "there is no job %q in this session; list shows the %d that there are", id, len(jobs))
}
