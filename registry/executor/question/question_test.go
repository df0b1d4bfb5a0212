package question_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/question"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// person always gives the same reply and records the question.
type person struct {
	asked tool.Inquiry
	reply tool.Reply
	err   error
	waits bool
}

func (p *person) Inquire(ctx context.Context, q tool.Inquiry) (tool.Reply, error) {
	p.asked = q
	if p.waits {
		<-ctx.Done()
		return tool.Reply{}, ctx.Err()
	}
	return p.reply, p.err
}

func call(t *testing.T, p *person, arguments string) (tool.Result, error) {
	t.Helper()
	tools := registry.New(registry.Options{})
	t.Cleanup(func() { _ = tools.Close() })
	spec, executor, err := question.Define(p)
	if err == nil {
		err = tools.Tools().Register(spec, executor)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tools.Execute(t.Context(), tool.Call{Tool: "question", Tenant: "t", Session: "s", Arguments: json.RawMessage(arguments)})
}

func TestReplyBecomesResult(t *testing.T) {
	for _, c := range []struct {
		reply tool.Reply
		want  string
	}{
		{tool.Reply{Status: tool.ReplyAnswered, Chosen: []string{"red"}}, "The user chose: red"},
		{tool.Reply{Status: tool.ReplyAnswered, Chosen: []string{"red", "blue"}, Text: "both, please"}, "The user chose: red; blue\nThe user says: both, please"},
		{tool.Reply{Status: tool.ReplyAnswered}, "The user chose none of the options."},
		{tool.Reply{Status: tool.ReplyDeclined}, "declined to answer"},
		{tool.Reply{Status: tool.ReplyCancelled}, "dismissed the question"},
	} {
		p := &person{reply: c.reply}
		result, err := call(t, p, `{"question":"Which colour?","header":"Colour","options":[{"label":"red"},{"label":"blue","description":"like the sky"}],"multiple":true}`)
		if err != nil || !strings.Contains(result.Text(), c.want) || !strings.Contains(string(result.Structured), string(c.reply.Status)) {
			t.Errorf("%+v: got %q, %s, %v", c.reply, result.Text(), result.Structured, err)
		}
		if q := p.asked; q.Text != "Which colour?" || q.Header != "Colour" || len(q.Options) != 2 || !q.Multiple || q.ID != result.Call.ID || q.Tenant != "t" || q.Session != "s" {
			t.Errorf("asked %+v", q)
		}
	}
}

func TestInvalidQuestions(t *testing.T) {
	for _, c := range []struct {
		arguments string
		err       error
		code      tool.Code
		want      string
	}{
		{`{}`, nil, tool.CodeInvalidArgument, "question"},
		{`{"question":"x","options":[{"label":"a"},{"label":"a"}]}`, nil, tool.CodeInvalidArgument, `"a" occurs twice`},
		{`{"question":"x"}`, tool.ErrNoApprover, tool.CodeApprovalRequired, "no user is available"},
		{`{"question":"x"}`, errors.New("the line broke"), tool.CodeExecution, "the line broke"},
	} {
		_, err := call(t, &person{err: c.err}, c.arguments)
		if tool.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", c.arguments, err)
		}
	}
}

// A client that asks for approval of changes must not ask for approval of a question.
func TestQuestionIsReadOnly(t *testing.T) {
	spec, _, err := question.Define(&person{})
	if err != nil {
		t.Fatal(err)
	}
	if e := spec.Effects(); !e.ReadOnly || e.Destructive || e.OpenWorld {
		t.Errorf("the effects are %+v", e)
	}
}

// A call ends when the user does not answer in time.
func TestQuestionTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if _, err := call(t, &person{waits: true}, `{"question":"x"}`); tool.CodeOf(err) != tool.CodeTimeout {
			t.Errorf("got %v", err)
		}
	})
}
