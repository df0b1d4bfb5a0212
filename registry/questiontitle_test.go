package registry

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A dialog gets its head, its icon and its place in the conversation without reading prose. The
// head does not contain the title that the author gave the tool.
func TestQuestionForADialog(t *testing.T) {
	asks := policy.Rule{Effect: policy.Ask, Tools: []string{"echo"}}
	for _, tt := range []struct {
		title     string
		dangerous bool
		policy    policy.Config
		reason    tool.AskReason
	}{
		{"Run the dangerous tool echo?", true, policy.Config{}, tool.AskDangerous},
		{"Run echo?", true, policy.Config{Rules: []policy.Rule{asks}}, tool.AskRule},
		{"Run echo?", false, policy.Config{Rules: []policy.Rule{asks}}, tool.AskRule},
	} {
		spec := echo()
		spec.Dangerous, spec.Title = tt.dangerous, "Already approved"
		var asked Question
		approver := ApproverFunc(func(_ context.Context, q Question) (Answer, error) {
			asked = q
			return Answer{Yes: true}, nil
		})
		o := Options{Approvals: ApprovalOptions{Approver: approver}, Rules: Rules{Policy: compile(t, tt.policy)}}
		call := tool.Call{ID: "c", Session: "s", Message: "m", Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)}
		if _, err := withTool(t, o, spec, &fake{}).Execute(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		if asked.Title() != tt.title || asked.Reason != tt.reason || asked.ID != "c" || asked.Session != "s" || asked.Message != "m" {
			t.Errorf("got %q, %q, %+v; want %q, %q", asked.Title(), asked.Reason, asked.CallRef, tt.title, tt.reason)
		}
	}
	for reason, want := range map[tool.AskReason]string{tool.AskEffects: "Run echo?", tool.AskRepeated: "Run echo again?", tool.AskScript: "Run a script with echo?"} {
		if got := (Question{Tool: echo(), Reason: reason}).Title(); got != want {
			t.Errorf("%s: got %q", reason, got)
		}
	}
}
