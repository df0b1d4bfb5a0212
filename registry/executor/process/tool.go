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

// maxWait is how long a poll may wait, glance how long start waits for what ends at once, and
// patience how long kill waits for the end.
const (
	maxWait  = 60 * time.Second
	glance   = 500 * time.Millisecond
	patience = 2 * time.Second
	// lateness is what a tool that knows its time may need beyond it to say what it has.
	lateness = 5 * time.Second
)

// arguments are those of the tool.
type arguments struct {
	Action  string `json:"action"`
	ID      string `json:"id"`
	Command string `json:"command"`
	Timeout int    `json:"timeout_seconds"`
	Wait    int    `json:"wait_seconds"`
	Offset  int    `json:"offset"`
	Limit   int    `json:"limit"`
}

// parametersFormat takes the most seconds that a job may have.
const parametersFormat = `{
  "type": "object",
  "required": ["action"],
  "properties": {
    "action": {"type": "string", "enum": ["start", "list", "poll", "log", "kill"], "description": "What to do"},
    "command": {"type": "string", "minLength": 1, "description": "What to run, for start"},
    "timeout_seconds": {"type": "integer", "minimum": 1, "maximum": %d, "description": "After how many seconds the job is stopped, for start"},
    "id": {"type": "string", "description": "The job, as start and list name it, for poll, log and kill"},
    "wait_seconds": {"type": "integer", "minimum": 0, "maximum": 60, "default": 0, "description": "How many seconds poll waits for the end of the job"},
    "offset": {"type": "integer", "minimum": 1, "default": 1, "description": "The first line that log shows, from 1"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 5000, "default": 500, "description": "How many lines log shows"}
  }
}`

// Define makes the tool, as registry.Register takes it.
func (t *Table) Define() (tool.Spec, tool.Executor, error) {
	return native.Raw(native.Options{Spec: tool.Spec{
		Name: "process", Title: "Background jobs", Category: "runtime", Tags: []string{"job", "background", "process"},
		Version: "1.0.0", Source: "host", Polling: true, Timeout: maxWait + 5*time.Minute, // a yes may have to be waited for
		Description: fmt.Sprintf(`Runs %s in the background. start returns the name of a job, or its result if it ends at once; list shows the jobs of this session; `+
			`poll tells how one stands, what it told since the last poll, the last of its output so far and, at its end, its result; log shows all it told or its whole result, by lines; `+
			`kill ends it. A job is a call of %s like any other: it has the same sandbox, the same permissions and the same limits.`, t.o.Tool, t.o.Tool),
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
	default: // the schema lets nothing else through but kill
		j.kill()
		j.wait(ctx, patience)
		return j.poll()
	}
}

// start begins a job, and returns when it may run: it does not hold its own place while the
// job waits for one. One that is refused is no job: the refusal is the result.
func (t *Table) start(ctx context.Context, in tool.Invocation, o owner, a arguments) (tool.Result, error) {
	if a.Command == "" {
		return tool.Result{}, &tool.Error{Code: tool.CodeInvalidArgument, Message: "command is missing: what is to be run?"}
	}
	timeout := t.o.Timeout
	if a.Timeout > 0 {
		timeout = time.Duration(a.Timeout) * time.Second // the schema has a maximum
	}
	with := map[string]any{t.o.Parameter: a.Command}
	if t.o.TimeoutParameter != "" {
		with[t.o.TimeoutParameter] = timeout.Milliseconds()
		timeout += lateness
	}
	call, err := json.Marshal(with)
	if err != nil {
		return tool.Result{}, err
	}
	j, err := t.add(o, a.Command, func(j *job) tool.Started {
		return in.Start(t.base, tool.Call{
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
	j.wait(ctx, glance)
	if err := j.refusal(); err != nil {
		t.remove(j)
		return tool.Result{}, err
	}
	return j.poll()
}

// wait returns when the job has ended, or after a time.
func (j *job) wait(ctx context.Context, most time.Duration) {
	select {
	case <-j.ended:
	case <-time.After(min(most, maxWait)):
	case <-ctx.Done():
	}
}

// view is what a model gets of a job.
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

// title is the line that says how the job stands.
func (v view) title() string { return fmt.Sprintf("%s: %s, %.1f s", v.ID, v.State, v.Seconds) }

// maxCommand is how many bytes list shows of a command.
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

// refusal is why the call ended without having run; nil when it ran or will.
func (j *job) refusal() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.result.Call.Attempts > 0 {
		return nil
	}
	return j.err
}

// poll tells how the job stands.
func (j *job) poll() (tool.Result, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	v := j.view()
	text := []string{v.title()}
	if j.endTime.IsZero() {
		if j.progress != "" {
			text = append(text, j.progress)
		}
		if news := j.told.news(); news != "" {
			text = append(text, news)
		}
		if j.live != "" {
			text = append(text, "the last of its output so far:", j.live)
		}
	} else if output := j.output(); output != "" {
		text = append(text, output)
	}
	result, err := tool.TextResult(strings.Join(text, "\n"), v)
	result.Title = v.title()
	return result, err
}

// output is all that there is of the job: what it told so far or, at its end, its result.
// j.mu is held.
func (j *job) output() string {
	if j.endTime.IsZero() {
		return strings.Join(slices.DeleteFunc([]string{j.told.all(), j.live}, func(s string) bool { return s == "" }), "\n")
	}
	return j.result.Text() // of a failure, too
}

// page shows lines of the output.
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
		text += fmt.Sprintf("\n[lines %d to %d of %d; go on with offset=%d]", first+1, last, len(all), last+1)
	}
	result, err := tool.TextResult(text, v)
	result.Title = fmt.Sprintf("%s, lines %d to %d of %d", v.ID, min(first+1, last), last, len(all))
	return result, err
}
