package process

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/tool"
)

const (
	maxWait   = 60 * time.Second       // how long poll may wait for the end of a job
	startWait = 500 * time.Millisecond // how long start waits for the end of a short job
	killWait  = 2 * time.Second        // how long kill waits for the end of a job
	// returnTime is added to the timeout of a job if its tool knows the timeout: the tool stops
	// at the timeout, and then returns its output so far.
	returnTime = 5 * time.Second
)

// arguments are the arguments of the tool.
type arguments struct {
	Action  string `json:"action"`
	ID      string `json:"id"`
	Command string `json:"command"`
	Timeout int    `json:"timeout_seconds"`
	Wait    int    `json:"wait_seconds"`
	Offset  int    `json:"offset"`
	Limit   int    `json:"limit"`
}

// parametersFormat is the schema as a format string, with a verb for the max timeout in seconds.
const parametersFormat = `{
  "type": "object",
  "required": ["action"],
  "properties": {
    "action": {"type": "string", "enum": ["start", "list", "poll", "log", "kill"], "description": "What to do"},
    "command": {"type": "string", "minLength": 1, "description": "Command to run, for start"},
    "timeout_seconds": {"type": "integer", "minimum": 1, "maximum": %d, "description": "Seconds after which the job is stopped, for start"},
    "id": {"type": "string", "description": "ID of the job, from start or list, for poll, log and kill"},
    "wait_seconds": {"type": "integer", "minimum": 0, "maximum": 60, "default": 0, "description": "Seconds that poll waits for the end of the job"},
    "offset": {"type": "integer", "minimum": 1, "default": 1, "description": "First line that log shows, from 1"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 5000, "default": 500, "description": "Number of lines that log shows"}
  }
}`

// Define returns the tool in the form that registry.Register expects.
func (t *Table) Define() (tool.Spec, tool.Executor, error) {
	return native.Raw(native.Options{Spec: tool.Spec{
		Name: "process", Title: "Background jobs", Category: "runtime", Tags: []string{"job", "background", "process"},
		Version: "1.0.0", Source: "host", Polling: true,
		Timeout: maxWait + 5*time.Minute, // approval of a job may take minutes
		Description: fmt.Sprintf(`Runs %s in the background. start returns the ID of a job, or its result if it ends at once; list shows the jobs of this session; `+
			`poll shows the state of a job, its log since the last poll, the end of its output so far and, after its end, its result; log shows its whole log or result, by lines; `+
			`kill ends it. A job is a call of %s like any other, with the same sandbox, permissions and limits.`, t.o.Tool, t.o.Tool),
		Parameters: fmt.Appendf(nil, parametersFormat, t.o.MaxTimeout/time.Second),
	}}, t.serve)
}

func (t *Table) serve(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	var a arguments
	if err := json.Unmarshal(in.Arguments, &a); err != nil {
		return tool.Result{}, &tool.Error{Code: tool.CodeInvalidArgument, Message: err.Error()}
	}
	o := owner{in.Call.Tenant, in.Call.Session}
	switch a.Action {
	case "start":
		return t.start(ctx, in, o, a)
	case "list":
		return showAll(t.list(o))
	}
	j, err := t.find(o, a.ID)
	if err != nil {
		return tool.Result{}, err
	}
	switch a.Action {
	case "poll":
		j.wait(ctx, time.Duration(a.Wait)*time.Second)
		return j.poll()
	case "log":
		return j.page(a.Offset, a.Limit)
	default: // kill: the schema allows no other action
		j.kill()
		j.wait(ctx, killWait)
		return j.poll()
	}
}

// start starts a job, and returns soon after the job's call is allowed. It does not wait until that
// call gets a slot, because it could be waiting for the slot of the call that executes start. If
// the call is denied, start returns the denial as an error and keeps no job.
func (t *Table) start(ctx context.Context, in tool.Invocation, o owner, a arguments) (tool.Result, error) {
	if a.Command == "" {
		return tool.Result{}, &tool.Error{Code: tool.CodeInvalidArgument, Message: `the argument "command" is missing; give the command to run`}
	}
	timeout := t.o.Timeout
	if a.Timeout > 0 {
		timeout = time.Duration(a.Timeout) * time.Second // the schema limits a.Timeout
	}
	with := map[string]any{t.o.Parameter: a.Command}
	if t.o.TimeoutParameter != "" {
		with[t.o.TimeoutParameter] = timeout.Milliseconds()
		timeout += returnTime
	}
	call, err := json.Marshal(with)
	if err != nil {
		return tool.Result{}, err
	}
	j, err := t.add(o, a.Command, func(j *job) tool.Started {
		return in.Start(t.ctx, tool.Call{
			Tool: t.o.Tool, Arguments: call, Timeout: timeout, WorkingDirectory: in.Call.WorkingDirectory, OnLog: j.log, OnUpdate: j.update,
		})
	})
	if err != nil {
		return tool.Result{}, err
	}
	select {
	case <-j.call.Decided():
		j.begin()
	case <-ctx.Done():
		j.kill()
		t.remove(j)
		return tool.Result{}, ctx.Err()
	}
	j.wait(ctx, startWait)
	if err := j.refusal(); err != nil {
		t.remove(j)
		return tool.Result{}, err
	}
	return j.poll()
}

// wait returns when the job has ended, or after a time of at most maxWait.
func (j *job) wait(ctx context.Context, limit time.Duration) {
	select {
	case <-j.ended:
	case <-time.After(min(limit, maxWait)):
	case <-ctx.Done():
	}
}

// view is the state of a job as a model sees it.
type view struct {
	ID      string  `json:"id"`
	State   string  `json:"state"`
	Command string  `json:"command"`
	Seconds float64 `json:"seconds"`
}

// view describes the job. j.mu is held.
func (j *job) view() view {
	until := cmp.Or(j.endTime, time.Now())
	return view{ID: j.id, State: j.state, Command: j.command, Seconds: until.Sub(j.started).Round(100 * time.Millisecond).Seconds()}
}

// title returns one line with the state of the job.
func (v view) title() string { return fmt.Sprintf("%s: %s, %.1f s", v.ID, v.State, v.Seconds) }

// maxCommand limits the part of a command that list shows, in bytes.
const maxCommand = 100

func showAll(jobs []*job) (tool.Result, error) {
	views := []view{}
	var text strings.Builder
	for _, j := range jobs {
		j.mu.Lock()
		v := j.view()
		j.mu.Unlock()
		views = append(views, v)
		command, _, more := strings.Cut(v.Command, "\n")
		if len(command) > maxCommand || more {
			command = strings.ToValidUTF8(command[:min(len(command), maxCommand)], "") + " ..."
		}
		fmt.Fprintf(&text, "%s: %s\n", v.title(), command)
	}
	if len(jobs) == 0 {
		text.WriteString("no jobs in this session\n")
	}
	result, err := tool.TextResult(strings.TrimSuffix(text.String(), "\n"), map[string][]view{"jobs": views})
	result.Title = fmt.Sprintf("%d jobs", len(jobs))
	return result, err
}

// refusal returns the error of a call that ended without running; nil if it ran or may still run.
func (j *job) refusal() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.result.Call.Attempts > 0 {
		return nil
	}
	return j.err
}

// poll returns the state of the job. For a running job, it adds the progress, the log messages
// since the last poll and the end of the output so far. For an ended job, it adds the result.
func (j *job) poll() (tool.Result, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	v := j.view()
	text := []string{v.title()}
	if j.endTime.IsZero() {
		if j.progress != "" {
			text = append(text, j.progress)
		}
		if news := j.logged.news(); news != "" {
			text = append(text, news)
		}
		if j.live != "" {
			text = append(text, "the end of its output so far:", j.live)
		}
	} else if output := j.output(); output != "" {
		text = append(text, output)
	}
	result, err := tool.TextResult(strings.Join(text, "\n"), v)
	result.Title = v.title()
	return result, err
}

// output returns the log and the output so far of a running job, or the result of an ended one.
// j.mu is held.
func (j *job) output() string {
	if j.endTime.IsZero() {
		return strings.Join(slices.DeleteFunc([]string{j.logged.all(), j.live}, func(s string) bool { return s == "" }), "\n")
	}
	return j.result.Text() // a failed call also has a result
}

// page returns some lines of the output.
func (j *job) page(offset, limit int) (tool.Result, error) {
	j.mu.Lock()
	output, v := j.output(), j.view()
	j.mu.Unlock()
	all := strings.Split(strings.TrimSuffix(output, "\n"), "\n")
	if output == "" {
		all = nil
	}
	first := min(offset-1, len(all))
	last := min(first+limit, len(all))
	text := strings.Join(all[first:last], "\n")
	if last < len(all) {
		text += fmt.Sprintf("\n[lines %d to %d of %d; continue with offset=%d]", first+1, last, len(all), last+1)
	}
	result, err := tool.TextResult(text, v)
	result.Title = fmt.Sprintf("%s, lines %d to %d of %d", v.ID, min(first+1, last), last, len(all))
	return result, err
}
