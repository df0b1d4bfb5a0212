package standard_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/executor/hosttools"
	"github.com/wasmtool/wasmtool/registry/executor/process"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestBackends(t *testing.T) {
	backend := func(_ context.Context, call tool.Invocation) (tool.Result, error) {
		return tool.TextResult("done: "+string(call.Arguments), nil)
	}
	tools, err := standard.New(standard.Options{
		Sources: standard.Sources{NoBuiltins: true}, StateDir: t.TempDir(), NoCache: true,
		Host: standard.Host{Backends: map[string]hosttools.Backend{"task": backend}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tools.Close() })
	result, err := tools.Execute(t.Context(), tool.Call{Tool: "task", Arguments: json.RawMessage(`{"task":"count"}`)})
	if err != nil || !strings.Contains(result.Text(), `done: {"task":"count"`) {
		t.Errorf("got %q, %v", result.Text(), err)
	}
	if tools.Tools().Has("message") {
		t.Error("a tool without a backend is there")
	}

	_, err = standard.New(standard.Options{
		Sources:  standard.Sources{NoBuiltins: true},
		StateDir: t.TempDir(),
		NoCache:  true,
		Host:     standard.Host{Backends: map[string]hosttools.Backend{"tasks": backend}},
	})
	if err == nil || !strings.Contains(err.Error(), `did you mean "task"?`) {
		t.Errorf("got %v", err)
	}
}

// Each tool of the program is in exactly one group, so that rules about groups cover all tools.
// Only session_status and read_result are in no group: a session may always report on itself.
func TestToolsAreInGroups(t *testing.T) {
	backends := make(map[string]hosttools.Backend)
	for _, name := range hosttools.Names() {
		backends[name] = func(context.Context, tool.Invocation) (tool.Result, error) { return tool.Result{}, nil }
	}
	tools, err := standard.New(standard.Options{
		StateDir: t.TempDir(),
		NoCache:  true,
		Host:     standard.Host{Backends: backends, Jobs: new(process.Options), Asker: answers("")},
		Registry: registry.Options{Calls: ledger.Options{MaxText: 1000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tools.Close() })
	groups := make(map[string]*policy.Policy)
	for _, group := range policy.Groups() {
		if groups[group], err = policy.Compile(policy.Config{Allow: []string{"group:" + group}}, policy.Known{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, info := range tools.Tools().List(catalogue.Filter{}) {
		var in []string
		for group, p := range groups {
			if visible, _ := p.Visible(policy.ToolFacts{Name: info.Spec.Name, Aliases: info.Spec.Aliases}); visible {
				in = append(in, group)
			}
		}
		name := info.Spec.Name
		if alone := name == "session_status" || name == standard.ReadResultTool; alone != (len(in) == 0) || len(in) > 1 {
			t.Errorf("%s is in the groups %q", name, in)
		}
	}
}

// The tool "process" is left out if the tool that its jobs call is not loaded.
func TestJobs(t *testing.T) {
	for _, c := range []struct {
		of   string
		want bool
	}{{"calculator", true}, {"none", false}} {
		tools, err := standard.New(standard.Options{
			StateDir: t.TempDir(),
			Host:     standard.Host{Jobs: &process.Options{Tool: c.of, Parameter: "expression"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = tools.Close() })
		if tools.Tools().Has("process") != c.want {
			t.Errorf("jobs of %s: the tool process is there: %v", c.of, !c.want)
		}
		if !c.want {
			continue
		}
		if _, err := tools.Execute(t.Context(), tool.Call{Tool: "process", Arguments: json.RawMessage(`{"action":"start","command":"6*7"}`)}); err != nil {
			t.Fatal(err)
		}
		result, err := tools.Execute(t.Context(), tool.Call{Tool: "process", Arguments: json.RawMessage(`{"action":"poll","id":"job_1","wait_seconds":60}`)})
		if err != nil || !strings.Contains(result.Text(), "completed") || !strings.Contains(result.Text(), "42") {
			t.Errorf("got %q, %v", result.Text(), err)
		}
	}
}

// By default, a tenant's jobs may use at most half of its concurrent calls, so that its other calls
// can still run.
func TestJobsLeaveCalls(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*standard.Options)
		want   int
	}{
		"of the tenant": {func(o *standard.Options) { o.Registry.Schedule.MaxTenantCalls = 4 }, 2},
		"of all":        {func(o *standard.Options) { o.Registry.Schedule.MaxTenantCalls, o.Runtime.MaxCalls = 8, 6 }, 3},
		"a single one":  {func(o *standard.Options) { o.Runtime.MaxCalls = 1 }, 1},
		"as it says":    {func(o *standard.Options) { o.Registry.Schedule.MaxTenantCalls, o.Host.Jobs.MaxRunning = 8, 5 }, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yes := registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
				return registry.Answer{Yes: true}, nil
			})
			o := standard.Options{
				Sources:  standard.Sources{NoBuiltins: true},
				StateDir: t.TempDir(),
				NoCache:  true,
				Host: standard.Host{
					Jobs: &process.Options{Tool: "task", Parameter: "task"},
					Backends: map[string]hosttools.Backend{"task": func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
						<-ctx.Done()
						return tool.Result{}, ctx.Err()
					}},
				},
				Registry: registry.Options{Approvals: registry.ApprovalOptions{Approver: yes}},
			}
			c.change(&o)
			tools, err := standard.New(o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = tools.Close() })
			for n := range c.want + 1 {
				_, err := tools.Execute(t.Context(), tool.Call{Tool: "process", Arguments: json.RawMessage(`{"action":"start","command":"x"}`)})
				if refused := tool.CodeOf(err) == tool.CodeResourceExhausted; refused != (n == c.want) {
					t.Errorf("job %d: %v", n+1, err)
				}
			}
		})
	}
}
