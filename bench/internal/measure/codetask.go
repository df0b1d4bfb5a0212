package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// CodeTask is what a model would exchange for one task: file a ticket for each distinct error in a
// log of 5,000 lines. Nothing is counted twice, although a model reads the conversation again in
// each round trip.
type CodeTask struct {
	How string `json:"how"`
	// RoundTrips is the number of times that the model waits for results. Calls of one kind are
	// made together, as few models do.
	RoundTrips int `json:"round_trips"`
	Calls      int `json:"calls"`
	// Written are the bytes of names and arguments of the model's calls. Read are the bytes of
	// their results. Definitions are the bytes of names, descriptions and parameters of the tools
	// that the model needs.
	Written     int    `json:"written"`
	Read        int    `json:"read"`
	Definitions int    `json:"definitions"`
	Missing     string `json:"missing,omitempty"`
}

// The two ways to do the task.
const (
	TaskDirect = "direct calls"
	TaskCode   = "one script in code"
)

// ticketScript does the task.
const ticketScript = `const counts = {};
for (const line of (await tools.log({service: "shop"})).split("\n")) {
  const title = line.split(" ERROR ")[1];
  if (title) counts[title] = (counts[title] ?? 0) + 1;
}
const keys = [];
for (const [title, count] of Object.entries(counts)) keys.push((await tools.ticket({title, count})).key);
return keys.join(" ");`

// exchange counts the bytes between a model and the tools.
type exchange struct {
	tools *registry.Registry
	CodeTask
}

// call makes calls that the model writes together.
func (e *exchange) call(ctx context.Context, calls ...tool.Call) (texts []string, err error) {
	e.RoundTrips++
	for _, o := range e.tools.ExecuteAll(ctx, calls) {
		if o.Err != nil {
			return nil, o.Err
		}
		texts = append(texts, o.Result.Text())
		e.Read += len(o.Result.Text())
	}
	for _, c := range calls {
		e.Calls++
		e.Written += len(c.Tool) + len(c.Arguments)
	}
	return texts, nil
}

// define counts the definitions of tools.
func (e *exchange) define(names ...string) {
	for _, i := range e.tools.Tenant("", registry.TenantOptions{}).List(catalogue.Filter{}) {
		if slices.Contains(names, i.Name) {
			e.Definitions += len(i.Name) + len(i.Description) + len(i.Parameters)
		}
	}
}

// codeTasks does the task in both ways.
func codeTasks(ctx context.Context, tools *registry.Registry) []CodeTask {
	direct := &exchange{tools: tools, CodeTask: CodeTask{How: TaskDirect}}
	direct.define("log", "ticket")
	wanted, err := direct.tickets(ctx)
	if err != nil {
		direct.Missing = reason(err)
	}
	script := &exchange{tools: tools, CodeTask: CodeTask{How: TaskCode}}
	script.define("code")
	arguments, err := json.Marshal(map[string]string{"language": "js", "script": ticketScript})
	var got []string
	if err == nil {
		got, err = script.call(ctx, tool.Call{Tool: "code", Arguments: arguments})
	}
	if err == nil && got[0] != wanted {
		err = fmt.Errorf("the script filed %.200q, the direct calls %.200q", got[0], wanted)
	}
	if err != nil {
		script.Missing = reason(err)
	}
	return []CodeTask{direct.CodeTask, script.CodeTask}
}

// tickets does the task as a model does it that makes all calls itself.
func (e *exchange) tickets(ctx context.Context) (keys string, err error) {
	log, err := e.call(ctx, tool.Call{Tool: "log", Arguments: []byte(`{"service":"shop"}`)})
	if err != nil {
		return "", err
	}
	var titles []string
	counts := make(map[string]int)
	for line := range strings.Lines(log[0]) {
		if _, title, found := strings.Cut(strings.TrimSpace(line), " ERROR "); found {
			if counts[title]++; counts[title] == 1 {
				titles = append(titles, title)
			}
		}
	}
	var calls []tool.Call
	for _, title := range titles {
		arguments, err := json.Marshal(ticketInput{title, counts[title]})
		if err != nil {
			return "", err
		}
		calls = append(calls, tool.Call{Tool: "ticket", Arguments: arguments})
	}
	tickets, err := e.call(ctx, calls...)
	var all []string
	for _, text := range tickets {
		var ticket ticketOutput
		if err := json.Unmarshal([]byte(text), &ticket); err != nil {
			return "", err
		}
		all = append(all, ticket.Key)
	}
	return strings.Join(all, " "), err
}
