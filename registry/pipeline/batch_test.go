package pipeline

import (
	"encoding/json"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func say(text string) Request {
	arguments, _ := json.Marshal(map[string]string{"text": text})
	return Request{Call: tool.Call{Tool: "echo", Arguments: arguments}}
}

// ExecuteAll prepares the arguments of a call only once, unless the tool or the rules have changed
// when the call begins.
func TestArgumentsArePreparedOnce(t *testing.T) {
	var got json.RawMessage
	p := open(t, func(in tool.Invocation) (tool.Result, error) {
		got = in.Arguments
		return tool.Result{}, nil
	})
	early := p.plan(t.Context(), say("x")).prepared
	if _, err := p.execute(t.Context(), say("x"), early); err != nil || &got[0] != &early.arguments.JSON[0] {
		t.Errorf("the arguments were prepared again: %s, %v", got, err)
	}
	p.SetRules(Rules{})
	if _, err := p.execute(t.Context(), say("x"), early); err != nil || &got[0] == &early.arguments.JSON[0] {
		t.Errorf("arguments prepared under other rules were used: %v", err)
	}
}

// The rules are checked when a call begins, after the earlier calls of the batch have run.
func TestBatchUsesTheRulesWhenEachCallBegins(t *testing.T) {
	var p *Pipeline
	p = open(t, func(tool.Invocation) (tool.Result, error) {
		denying, err := policy.Compile(policy.Config{Deny: []string{"echo"}}, policy.Known{Tools: []policy.ToolFacts{{Name: "echo"}}})
		p.SetRules(Rules{Policy: denying})
		return tool.Result{}, err
	})
	outcomes := p.ExecuteAll(t.Context(), []Request{say("1"), say("2")})
	if outcomes[0].Err != nil || tool.CodeOf(outcomes[1].Err) != tool.CodeDisabled {
		t.Errorf("got %v and %v", outcomes[0].Err, outcomes[1].Err)
	}
}
