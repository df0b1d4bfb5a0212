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
	// Tool is the tool that each job calls, and Parameter the parameter for the command; empty
	// means DefaultTool and DefaultParameter.
	Tool, Parameter string
	// TimeoutParameter is the parameter for the timeout of a job in milliseconds. It is for a
	// tool that stops at its timeout and then returns its output so far. Empty means
	// DefaultTimeoutParameter if Tool is empty, and otherwise no parameter.
	TimeoutParameter string
	// MaxJobs limits the jobs of a session, MaxTenant the jobs of a tenant, and MaxTotal all jobs,
	// ended jobs included; 0 means DefaultMaxJobs, DefaultMaxTenant and DefaultMaxTotal. At a
	// limit, a new job replaces the oldest ended job. At MaxTotal, a tenant cannot replace the jobs
	// of another tenant that has fewer jobs.
	MaxJobs, MaxTenant, MaxTotal int
	// MaxRunning limits the jobs of a tenant that are running or waiting to run, which leaves
	// room for its other calls; 0 means MaxTenant, and so does a higher value.
	MaxRunning int
	// KeepFor is how long an ended job is kept; 0 means DefaultKeepFor.
	KeepFor time.Duration
	// Timeout is the timeout of a job that is started without one; 0 means DefaultTimeout.
	// MaxTimeout limits the timeout that a start may set, in whole seconds; 0 means
	// DefaultTimeout, which is also the maximum of bash. A Timeout above MaxTimeout raises
	// MaxTimeout. The registry's own maximum applies as well.
	Timeout, MaxTimeout time.Duration
}

// owner identifies the session that a job belongs to.
type owner struct{ tenant, session string }

// Table holds the jobs. It is safe for concurrent use. The zero value is not usable; see
// NewTable.
type Table struct {
	o      Options
	ctx    context.Context // context of all jobs; done when the Table is closed
	cancel context.CancelFunc

	mu   sync.Mutex
	jobs []*job // in the order of their start
	// lastID is the number in the last job ID of each owner that has jobs.
	lastID map[owner]int
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
	ctx, cancel := context.WithCancel(context.Background())
	return &Table{o: o, ctx: ctx, cancel: cancel, lastID: map[owner]int{}}
}

// Tool returns the name of the tool that each job calls.
func (t *Table) Tool() string { return t.o.Tool }

// Close cancels all jobs and waits until they have ended. No job starts after that. Closing
// again does nothing.
func (t *Table) Close() error {
	t.cancel()
	t.mu.Lock()
	all := slices.Clone(t.jobs)
	t.mu.Unlock()
	for _, j := range all {
		<-j.ended
	}
	return nil
}

// add makes a new job and gives it an ID. It starts the job's call with the function start, which
// must not block.
func (t *Table) add(o owner, command string, start func(*job) tool.Started) (*job, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return nil, &tool.Error{Code: tool.CodeCancelled, Message: "no job can be started: the program is about to end"}
	}
	t.dropExpired()
	ofSession := func(j *job) bool { return j.owner == o }
	ofTenant := func(j *job) bool { return j.owner.tenant == o.tenant }
	if n := t.count(ofSession); n >= t.o.MaxJobs && !t.dropEnded(ofSession) {
		return nil, full("this session has %d running jobs; wait for one, or end one with kill", n)
	}
	if n := t.count(func(j *job) bool { return ofTenant(j) && !j.over() }); n >= t.o.MaxRunning {
		return nil, full("%d jobs are running in all your sessions, which is the limit; wait for one, or end one with kill", n)
	}
	has := tenants.Count(slices.Values(t.jobs), func(j *job) string { return j.owner.tenant })
	// at least one job of the tenant has ended, because fewer than MaxTenant are running
	if has[o.tenant] >= t.o.MaxTenant {
		t.dropEnded(ofTenant)
	}
	if n := len(t.jobs); n >= t.o.MaxTotal && !t.dropEnded(func(j *job) bool { return has[j.owner.tenant] >= has[o.tenant] }) {
		return nil, full("%d jobs are running in all sessions, which is the limit; try again later", n)
	}
	t.lastID[o]++
	j := &job{
		owner: o, id: fmt.Sprintf("job_%d", t.lastID[o]), command: command,
		started: time.Now(), ended: make(chan struct{}), state: stateWaiting,
	}
	j.call = start(j)
	go j.await()
	t.jobs = append(t.jobs, j)
	return j, nil
}

func full(format string, args ...any) error {
	return &tool.Error{Code: tool.CodeResourceExhausted, Message: fmt.Sprintf(format, args...), Details: tool.Details{Limit: "jobs"}}
}

// remove drops a job whose call never ran.
func (t *Table) remove(j *job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := slices.Index(t.jobs, j); at >= 0 {
		t.drop(at)
	}
}

// The callers of the next four methods hold t.mu.

// drop removes a job. When it was the last job of its owner, the IDs start again at 1: there is
// no other job that they could be confused with.
func (t *Table) drop(at int) {
	o := t.jobs[at].owner
	t.jobs = slices.Delete(t.jobs, at, at+1)
	if !slices.ContainsFunc(t.jobs, func(j *job) bool { return j.owner == o }) {
		delete(t.lastID, o)
	}
}

// count returns the number of jobs that match.
func (t *Table) count(matches func(*job) bool) (n int) {
	for _, j := range t.jobs {
		if matches(j) {
			n++
		}
	}
	return n
}

// dropEnded removes the oldest ended job that matches, and reports whether there was one.
func (t *Table) dropEnded(matches func(*job) bool) bool {
	at := slices.IndexFunc(t.jobs, func(j *job) bool { return matches(j) && j.over() })
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
		return nil, &tool.Error{Code: tool.CodeInvalidArgument, Message: `the argument "id" is missing; list shows the jobs`}
	}
	return nil, tool.Errorf(tool.CodeNotFound, "there is no job %q in this session; list shows its %d jobs", id, len(jobs))
}
