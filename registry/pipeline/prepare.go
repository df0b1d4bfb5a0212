package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/deadline"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/internal/reference"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Request is a call that enters the pipeline.
type Request struct {
	Call    tool.Call
	Options TenantOptions
	// Own means that the program chose the Options, so that Rules.Tenants does not apply.
	Own bool
	// Parent is the ID of the outer call of a nested call; "" means that a caller made this call.
	// References in the arguments of a nested call are not resolved, because the arguments may
	// contain untrusted results of resolving references in the outer call.
	Parent string

	depth     int // Invocation.Depth of the call
	inside    *inside
	made      tool.InnerCall // what a script said of a call inside it
	onAllowed func()         // called when the call is allowed to run; may be nil
}

// prepared is a call whose tool is known and whose arguments are checked.
type prepared struct {
	*Request         // no longer changes
	rules     *Rules // the Rules in force when the call began
	tool      *catalogue.Tool
	sent      json.RawMessage        // the arguments as sent, with references resolved
	arguments *jsonschema.Arguments  // not nil, even if there are none
	script    *shellcommand.Result   // the script in the arguments; nil means none
	requested capability.Permissions // the permissions that the call requests
	resolved  bool                   // the arguments had references
	took      time.Duration          // time for preparing the arguments
}

// find looks up the tool of a call and checks that it is enabled for the caller.
func (p *Pipeline) find(r *Request) (prepared, error) {
	c := prepared{Request: r, rules: p.rules.Load(), sent: r.Call.Arguments, arguments: &jsonschema.Arguments{}}
	if c.rules.Tenants != nil && !r.Own && r.Parent == "" && r.Call.Tenant != "" {
		options, err := c.rules.optionsOf(r.Call.Tenant)
		if err != nil {
			return c, err
		}
		r = &Request{Call: r.Call, Options: options, depth: r.depth, onAllowed: r.onAllowed}
		c.Request = r
	}
	lookup := p.o.Catalogue.Find
	if r.inside != nil {
		lookup = func(string) (*catalogue.Tool, error) { return p.findInside(r) }
	}
	found, err := lookup(r.Call.Tool)
	if err != nil {
		return c, err
	}
	c.tool = found
	if err := r.inside.permits(found.Spec.Name); err != nil {
		return c, err
	}
	if found.Disabled {
		return c, &tool.Error{Code: tool.CodeDisabled, Message: "the tool is switched off"}
	}
	facts := factsOf(found.Spec)
	for _, own := range []*policy.Policy{c.rules.Policy, r.Options.Policy} {
		if own == nil { // the tenant options have no policy
			continue
		}
		if visible, _ := own.Visible(facts); !visible {
			return c, &tool.Error{
				Code: tool.CodeDisabled, Message: "the tool is switched off by the operator's policy",
				Details: tool.Details{Fix: own.Decide(facts, policy.CallFacts{}).Fix},
			}
		}
	}
	return c, nil
}

// prepare is the stage that resolves references in the arguments, adds defaults and validates the
// arguments. Its time counts against the tool's timeout, so that a call with any arguments ends by
// its deadline. If prepare fails, the arguments contain only warnings.
func (p *Pipeline) prepare(ctx context.Context, c prepared) (prepared, error) {
	described, err := p.o.Catalogue.Described(ctx, c.tool)
	if err != nil {
		return c, err
	}
	c.tool = described
	began, timeout := time.Now(), p.timeout(c)
	within := deadline.New(ctx, began.Add(timeout))
	defer within.Cancel()
	if err = p.resolveReferences(within, &c); err == nil {
		if *c.arguments, err = p.checkArguments(within, c.tool, c.rules, c.sent); err != nil {
			err = errInvalidArguments(err)
		}
	}
	c.took = time.Since(began)
	switch {
	case err == nil:
	case within.Err() == nil:
		return c, c.tool.ExplainViolations(p.o.Logger, err)
	case ctx.Err() != nil:
		return c, callerror.OfContext(ctx)
	default:
		return c, tool.Errorf(tool.CodeTimeout, "checking the arguments took longer than %v; send less or raise the timeout", timeout).WithCause(err)
	}
	c.script = c.rules.script(c.tool.Spec, c.arguments.Text)
	c.requested, err = requested(c.tool, c.script, c.arguments.Text)
	return c, err
}

// checkArguments adds defaults to arguments and validates them. Undeclared arguments are dropped
// with a warning. If the tool is strict, they are an error.
func (p *Pipeline) checkArguments(ctx context.Context, t *catalogue.Tool, rules *Rules, sent json.RawMessage) (jsonschema.Arguments, error) {
	arguments, err := t.Parameters.Prepare(ctx, sent)
	strict := p.o.Strict || t.Spec.Strict || rules.ToolOptions[t.Spec.Name].Strict
	if !strict || len(arguments.Undeclared) == 0 {
		return arguments, err
	}
	violations, ok := errors.AsType[jsonschema.Violations](err)
	if err != nil && !ok { // ctx is done
		return arguments, err
	}
	return jsonschema.Arguments{}, slices.Concat(violations, arguments.Undeclared)
}

// timeout returns the timeout of one attempt.
func (p *Pipeline) timeout(c prepared) time.Duration {
	timeout, limit := c.tool.Spec.Timeout, p.o.MaxTimeout
	if own := c.Call.Timeout; own > 0 {
		timeout = own
	}
	if own := c.Options.MaxTimeout; own > 0 {
		limit = min(limit, own)
	}
	return min(timeout, limit)
}

// resolveReferences replaces references in the arguments with stored results and variables. Scripts
// stay as they are, because "${NAME}" in a script is a variable of the shell.
func (p *Pipeline) resolveReferences(ctx context.Context, c *prepared) error {
	if c.Parent != "" || p.o.Results == nil && p.o.Variables == nil {
		return nil
	}
	rules := reference.Rules{
		Whole: func(name string) (text string, found bool, err error) {
			if p.o.Results != nil {
				owner := results.Owner{Tenant: c.Call.Tenant, Session: c.Call.Session}
				if text, found, err = p.o.Results.Lookup(owner, name); found {
					c.resolved = true
					return text, found, err
				}
			}
			return p.variable(ctx, c, name)
		},
		Keeps: func(name string) bool {
			return c.tool.Spec.Shell != "" && c.tool.Parameters.Declared(name) == c.tool.Spec.Shell
		},
	}
	if c.Call.Interpolate && p.o.Variables != nil {
		rules.Part = func(name string) (string, bool, error) { return p.variable(ctx, c, name) }
	}
	sent, err := reference.Expand(c.sent, rules)
	if err == nil {
		c.sent = sent
	}
	return err
}

// variable returns the value of a variable. An unknown variable is an error.
func (p *Pipeline) variable(ctx context.Context, c *prepared, name string) (text string, found bool, err error) {
	if p.o.Variables == nil {
		return "", false, nil
	}
	c.resolved = true
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	if text, found = p.o.Variables(ctx, c.Call, name); found {
		return text, true, nil
	}
	message := fmt.Sprintf("there is no variable %s; replace the reference with a value", name)
	if c.Call.Interpolate {
		message += fmt.Sprintf(", or write $${%s} for the text ${%[1]s}", name)
	}
	return "", false, reference.Invalid(tool.ViolationConstraint, message)
}

func (c prepared) accessRequest(permissions capability.Permissions) accessRequest {
	return accessRequest{tool: c.tool, permissions: permissions, rules: c.rules, options: c.Options, tenant: c.Call.Tenant}
}

func errInvalidArguments(err error) error {
	invalid := &tool.Error{Code: tool.CodeInvalidArgument, Message: "invalid arguments: " + err.Error(), Recoverable: true}
	var violations jsonschema.Violations
	_ = errors.As(err, &violations) // other errors have no violations
	for _, v := range violations {
		invalid.Details.Violations = append(invalid.Details.Violations, tool.Violation{Pointer: v.Pointer, Kind: string(v.Kind), Message: v.Message})
	}
	return invalid.WithCause(err)
}

// Validate checks the arguments of a call without running anything. It returns the arguments for
// the tool, and warnings about them.
func (p *Pipeline) Validate(name string, arguments json.RawMessage) (json.RawMessage, []string, error) {
	ctx := context.Background()
	t, err := p.o.Catalogue.Find(name)
	if err != nil {
		return nil, nil, err
	}
	if t, err = p.o.Catalogue.Described(ctx, t); err != nil {
		return nil, nil, err
	}
	checked, err := p.checkArguments(ctx, t, p.rules.Load(), arguments)
	if err != nil {
		return nil, checked.Warnings, callerror.Named(t.ExplainViolations(p.o.Logger, errInvalidArguments(err)), t.Spec.Name)
	}
	return checked.JSON, checked.Warnings, nil
}
