package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/registry/tool/signature"
)

// inside is what the calls that one call makes take over from it and have in common. A nil *inside
// is for other calls.
type inside struct {
	grant capability.Grant
	held  []string // the paths that the outer calls have in the schedule
	tool  string   // the tool of the outer call

	mu       sync.Mutex
	made     []madeCall
	approved map[remembered.Key]bool // what may run again in this script without a question
}

// madeCall is a call that has ended, for questions about later calls.
type madeCall struct {
	tool            string
	changed, failed bool
}

// insideOf returns what the calls that a call makes take over from it, and from the calls that wait
// for it.
func insideOf(a authorised) *inside {
	in := &inside{grant: a.grant, tool: a.tool.Spec.Name}
	if len(a.grant.Tools) > 0 {
		in.held = schedule.Changes(a.grant, a.changes())
		if a.inside != nil {
			in.held = append(in.held, a.inside.held...)
		}
	}
	return in
}

// Limits of calls inside one another.
const (
	// maxInside limits how many calls are inside one another.
	maxInside = 8
	// maxInsideTogether limits the calls that one call makes at the same time, which all take its
	// place and memory.
	maxInsideTogether = 4
)

// permits returns an error if the grant of the outer call does not permit calls of the tool. It
// gets the tool's own name, so that an alias cannot stand for another tool.
func (in *inside) permits(name string) error {
	if in == nil || in.grant.Calls(name) {
		return nil
	}
	may := "no tool"
	if len(in.grant.Tools) > 0 {
		may = strings.Join(in.grant.Tools, ", ")
	}
	return &tool.Error{
		Code: tool.CodePermissionDenied, Message: "the tool may call " + may,
		Details: tool.Details{Fix: "write tools = [\"" + name + "\"] in [permissions] of the calling tool, and grant tools:" + name},
	}
}

// callerInside returns the function that makes calls for a guest, and waits for them. They take the
// place and the memory of the outer call, whose guest does nothing else meanwhile, so that calls
// which fill all places cannot wait for one another. When the context is done, they are cancelled,
// and the function waits for their end.
func (p *Pipeline) callerInside(parent *Request, in *inside) func(context.Context, []tool.InnerCall) []tool.Outcome {
	return func(ctx context.Context, calls []tool.InnerCall) []tool.Outcome {
		if parent.depth >= maxInside {
			tooDeep := tool.Errorf(tool.CodePermissionDenied, "%d calls are inside one another; more are not allowed", maxInside)
			return slices.Repeat([]tool.Outcome{{Err: tooDeep}}, len(calls))
		}
		requests := make([]Request, len(calls))
		for i, call := range calls {
			requests[i] = p.nested(parent, tool.Call{Tool: call.Tool, Arguments: call.Arguments})
			requests[i].inside, requests[i].made = in, call
		}
		outcomes := p.executeAll(ctx, requests, maxInsideTogether)
		for i, number := range in.note(outcomes, p.o.Catalogue.Has) {
			p.o.Ledger.Inner(func() tool.InnerRecord {
				digest := sha256.Sum256(calls[i].Arguments)
				return tool.InnerRecord{
					Parent: parent.Call.ID, Call: outcomes[i].Result.Call.ID, Number: number,
					Tool: calls[i].Tool, Arguments: hex.EncodeToString(digest[:]), Outcome: outcomes[i],
				}
			})
		}
		return outcomes
	}
}

// note records calls that have ended, and returns their numbers among all calls of the script. The
// script chose the names that no tool has, so questions do not show them.
func (in *inside) note(outcomes []tool.Outcome, has func(name string) bool) (numbers []int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, o := range outcomes {
		name := o.Result.Call.Tool
		if !has(name) {
			name = "a tool that does not exist"
		}
		in.made = append(in.made, madeCall{name, o.Result.Call.Usage.Changed(), o.Err != nil})
		numbers = append(numbers, len(in.made))
	}
	return numbers
}

// findInside looks up the tool of a call that a script makes, by its name or by its path in
// scripts.
func (p *Pipeline) findInside(r *Request) (*catalogue.Tool, error) {
	name := r.Call.Tool
	if p.o.Catalogue.Has(name) {
		return p.o.Catalogue.Find(name)
	}
	var same []string
	for _, spec := range p.callable(r.Options, r.inside.grant, "", 0) {
		if signature.Path(spec) == name {
			same = append(same, spec.Name)
		}
	}
	switch len(same) {
	case 0: // the error does not name tools that the caller does not see
		return nil, &tool.Error{
			Code: tool.CodeNotFound, Tool: name, Recoverable: true,
			Message: "the script may call no tool of this name; search for tools with tools.search, and use their names as they are there",
		}
	case 1:
		return p.o.Catalogue.Find(same[0])
	}
	return nil, &tool.Error{
		Code: tool.CodeNotFound, Tool: name, Recoverable: true,
		Message: "several tools have this path; call one by its name: " + `tools["` + strings.Join(same, `"], tools["`) + `"]`,
	}
}

// callable returns the tools that a script with the grant may call for a caller and that match a
// query; "" matches all.
func (p *Pipeline) callable(o TenantOptions, grant capability.Grant, query string, limit int) []tool.Spec {
	found := each.Of(p.o.Catalogue.Search(query, 0), func(i catalogue.Info) tool.Spec { return i.Spec })
	if query == "" {
		found = each.Of(p.o.Catalogue.Enabled(), func(t *catalogue.Tool) tool.Spec { return t.Spec })
	}
	var specs []tool.Spec
	for _, spec := range found {
		if limit > 0 && len(specs) == limit {
			break
		}
		if grant.Calls(spec.Name) && o.Sees(spec) {
			specs = append(specs, spec)
		}
	}
	return specs
}

// view returns the names of the tools that a caller sees.
func (p *Pipeline) view(o TenantOptions) tool.View {
	names := []string{}
	for _, t := range p.o.Catalogue.Enabled() {
		if o.Sees(t.Spec) {
			names = append(names, t.Spec.Name)
		}
	}
	shown := min(len(names), tool.MaxView)
	return tool.View{Names: slices.Clone(names[:shown]), More: len(names) - shown}
}

// Overview returns the description of a tool that calls other tools, for a tenant; "" for other
// tools.
func (p *Pipeline) Overview(t *catalogue.Tool, tenant string, o TenantOptions) string {
	overviewer, ok := t.Executor.(tool.Overviewer)
	if !ok {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.o.LoadTimeout)
	defer cancel()
	// Without access, no tool can be called.
	access, _ := p.access(ctx, accessRequest{tool: t, permissions: t.Spec.Permissions, rules: p.rules.Load(), options: o, tenant: tenant})
	return overviewer.Overview(p.callable(o, access.Grant, "", 0))
}
