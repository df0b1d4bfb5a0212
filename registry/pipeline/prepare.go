package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/internal/reference"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Request is a call as it comes in.
type Request struct {
	Call    tool.Call
	Overlay TenantOptions
	// Parent is the ID of the call whose tool makes this one, and "" for a caller's own. The
	// arguments of a call with a Parent are taken as they are: references in those of the
	// parent were resolved, and what came of that is not looked at again.
	Parent string

	onAllowed func() // is called when the call may run; may be nil
}

// prepared is a call whose tool is found and whose arguments are what the tool gets.
type prepared struct {
	*Request         // not changed any more
	rules     *Rules // in force when the call began
	tool      *catalogue.Tool
	sent      json.RawMessage // as they were sent, with values in the place of references
	arguments jsonschema.Arguments
	script    *shellcommand.Result // of the arguments; nil for none
	resolved  bool                 // the arguments held references
	took      time.Duration        // for the arguments
}

// find looks up the tool of a call, and whether the caller may call it.
func (p *Pipeline) find(r *Request) (prepared, error) {
	c := prepared{Request: r, rules: p.rules.Load(), sent: r.Call.Arguments}
	found, err := p.o.Catalogue.Find(r.Call.Tool)
	if err != nil {
		return c, err
	}
	c.tool = found
	if found.Disabled {
		return c, &tool.Error{Code: tool.CodeDisabled, Message: "the tool is switched off"}
	}
	facts := factsOf(found.Spec)
	for _, own := range []*policy.Policy{c.rules.Policy, r.Overlay.Policy} {
		if own == nil { // the overlay has none
			continue
		}
		if visible, _ := own.Visible(facts); !visible {
			return c, &tool.Error{
				Code: tool.CodeDisabled, Message: "the operator's policy has the tool switched off",
				Details: tool.Details{Fix: own.Decide(facts, policy.CallFacts{}).Fix},
			}
		}
	}
	return c, nil
}

// prepare is the stage that makes the arguments what the tool gets. The time that this takes
// is part of the tool's own: a call ends by its deadline whatever it was sent. On an error,
// the arguments have the warnings.
func (p *Pipeline) prepare(ctx context.Context, c prepared) (prepared, error) {
	described, err := p.o.Catalogue.Described(ctx, c.tool)
	if err != nil {
		return c, err
	}
	c.tool = described
	began, timeout := time.Now(), p.timeout(c)
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err = p.resolveReferences(within, &c); err == nil {
		if c.arguments, err = c.tool.Parameters.Prepare(within, c.sent); err != nil {
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
		return c, tool.Errorf(tool.CodeTimeout, "the arguments were not checked within %v; send less or raise the timeout", timeout).WithCause(err)
	}
	c.script = c.rules.script(c.tool.Spec, c.arguments.Text)
	return c, nil
}

// timeout is the time of one attempt.
func (p *Pipeline) timeout(c prepared) time.Duration {
	timeout, most := c.tool.Spec.Timeout, p.o.MaxTimeout
	if own := c.Call.Timeout; own > 0 {
		timeout = own
	}
	if own := c.Overlay.MaxTimeout; own > 0 {
		most = min(most, own)
	}
	return min(timeout, most)
}

// resolveReferences puts kept results and variables in the place of the references to them.
func (p *Pipeline) resolveReferences(ctx context.Context, c *prepared) error {
	if c.Parent != "" || p.o.Results == nil && p.o.Variables == nil {
		return nil
	}
	call := c.Call
	sent, err := reference.Expand(c.sent, func(name string) (text string, found bool, err error) {
		c.resolved = true
		if err := ctx.Err(); err != nil {
			return "", false, err
		}
		if p.o.Results != nil {
			if text, found, err = p.o.Results.Lookup(results.Owner{Tenant: call.Tenant, Session: call.Session}, name); found {
				return text, found, err
			}
		}
		if p.o.Variables == nil {
			return "", false, nil
		}
		if text, found = p.o.Variables(ctx, call, name); !found {
			err = reference.Invalid(tool.ViolationConstraint, fmt.Sprintf("there is no variable %s; write a value in place of the reference", name))
		}
		return text, found, err
	})
	if err == nil {
		c.sent = sent
	}
	return err
}

// asksFor is what the call asks for, and asks the look at what it is given of permissions.
func (c prepared) asksFor() capability.Permissions { return asksFor(c.tool.Spec, c.script) }

func (c prepared) asks(permissions capability.Permissions) asks {
	return asks{tool: c.tool, permissions: permissions, rules: c.rules, overlay: c.Overlay, tenant: c.Call.Tenant}
}

func errInvalidArguments(err error) error {
	invalid := &tool.Error{Code: tool.CodeInvalidArgument, Message: "invalid arguments: " + err.Error(), Recoverable: true}
	var faults jsonschema.Violations
	_ = errors.As(err, &faults) // another error has none
	for _, f := range faults {
		invalid.Details.Violations = append(invalid.Details.Violations, tool.Violation{Pointer: f.Pointer, Kind: string(f.Kind), Message: f.Message})
	}
	return invalid.WithCause(err)
}

// Validate checks the arguments of a call without running anything. It returns the
// arguments as the tool would get them and the warnings of the call.
func (p *Pipeline) Validate(name string, arguments json.RawMessage) (json.RawMessage, []string, error) {
	ctx := context.Background()
	t, err := p.o.Catalogue.Find(name)
	if err != nil {
		return nil, nil, err
	}
	if t, err = p.o.Catalogue.Described(ctx, t); err != nil {
		return nil, nil, err
	}
	checked, err := t.Parameters.Prepare(ctx, arguments)
	if err != nil {
		return nil, checked.Warnings, callerror.Named(t.ExplainViolations(p.o.Logger, errInvalidArguments(err)), t.Spec.Name)
	}
	return checked.JSON, checked.Warnings, nil
}
