package mcpserver

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// requestOf returns a request of a user for the tool "t", with the state of an earlier question.
func requestOf(user, arguments, state string) *mcp.CallToolRequest {
	return &mcp.CallToolRequest{
		Extra: &mcp.RequestExtra{TokenInfo: &auth.TokenInfo{UserID: user}},
		Params: &mcp.CallToolParamsRaw{
			Meta: mcp.Meta{mcp.MetaKeyProtocolVersion: sinceInputRequests}, Name: "t", Arguments: json.RawMessage(arguments),
			RequestState: state, InputResponses: mcp.InputResponseMap{"question": &mcp.ElicitResult{Action: "accept"}},
		},
	}
}

// suspended is a call with an open question.
type suspended struct {
	ctx context.Context // done when the call is cancelled
	q   *question
}

func suspend(p *pending, user, arguments string) suspended {
	ctx, cancel := context.WithCancel(context.Background())
	c := &servedCall{first: requestOf(user, arguments, ""), cancel: cancel}
	q := &question{call: c, input: "question", answer: make(chan *mcp.ElicitResult, 1)}
	p.put(q)
	return suspended{ctx, q}
}

// outcome returns what has become of the call.
func (s suspended) outcome() string {
	outcome := "waiting"
	select {
	case answer := <-s.q.answer:
		outcome = "no answer"
		if answer != nil {
			outcome = "answered"
		}
	default:
	}
	if s.ctx.Err() != nil {
		outcome += ", cancelled"
	}
	return outcome
}

// A state is valid once, for its user and its call. An invalid use cancels the call.
func TestStateIsValidOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request func(state string) *mcp.CallToolRequest
		resumes bool
		want    string
	}{
		"valid": {func(state string) *mcp.CallToolRequest { return requestOf("ann", `{"a":1,"b":"x"}`, state) }, true, "answered"},
		"valid, written differently": {
			func(state string) *mcp.CallToolRequest {
				return requestOf("ann", "{ \"b\":\"\\u0078\",\n\"a\":1.0}", state)
			}, true, "answered",
		},
		"no answer": {
			func(state string) *mcp.CallToolRequest {
				r := requestOf("ann", `{"a":1,"b":"x"}`, state)
				r.Params.InputResponses = nil
				return r
			}, true, "no answer",
		},
		"an answer to another question": {
			func(state string) *mcp.CallToolRequest {
				r := requestOf("ann", `{"a":1,"b":"x"}`, state)
				r.Params.InputResponses = mcp.InputResponseMap{"approval": &mcp.ElicitResult{Action: "accept"}}
				return r
			}, true, "no answer",
		},
		"another user":    {func(state string) *mcp.CallToolRequest { return requestOf("bob", `{"a":1,"b":"x"}`, state) }, false, "no answer, cancelled"},
		"other arguments": {func(state string) *mcp.CallToolRequest { return requestOf("ann", `{"a":2,"b":"x"}`, state) }, false, "no answer, cancelled"},
		"no arguments":    {func(state string) *mcp.CallToolRequest { return requestOf("ann", ``, state) }, false, "no answer, cancelled"},
		"invalid JSON":    {func(state string) *mcp.CallToolRequest { return requestOf("ann", `{`, state) }, false, "no answer, cancelled"},
		"another tool": {
			func(state string) *mcp.CallToolRequest {
				r := requestOf("ann", `{"a":1,"b":"x"}`, state)
				r.Params.Name = "u"
				return r
			}, false, "no answer, cancelled",
		},
		"a guess":  {func(string) *mcp.CallToolRequest { return requestOf("ann", `{"a":1,"b":"x"}`, "guess") }, false, "waiting"},
		"no state": {func(string) *mcp.CallToolRequest { return requestOf("ann", `{"a":1,"b":"x"}`, "") }, false, "waiting"},
		"an older revision": {
			func(state string) *mcp.CallToolRequest {
				r := requestOf("ann", `{"a":1,"b":"x"}`, state)
				r.Params.Meta[mcp.MetaKeyProtocolVersion] = "2025-11-25"
				return r
			}, false, "waiting",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p pending
			s := suspend(&p, "ann", `{"a":1,"b":"x"}`)
			request := c.request(s.q.state)
			if got := p.resume(request, nil); (got == s.q.call) != c.resumes || !c.resumes && got != nil {
				t.Errorf("the call was resumed: %v, want %v", got != nil, c.resumes)
			}
			if got := s.outcome(); got != c.want {
				t.Errorf("the question is %q, want %q", got, c.want)
			}
			if p.resume(request, nil) != nil {
				t.Error("the state was valid twice")
			}
			if valid := p.resume(requestOf("ann", `{"a":1,"b":"x"}`, s.q.state), nil) != nil; valid != (c.want == "waiting") {
				t.Errorf("afterwards the state is valid: %v", valid)
			}
		})
	}
}

// A suspended call is cancelled if its client does not come back in time.
func TestSuspendedCallExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p pending
		answered, first := suspend(&p, "ann", "{}"), suspend(&p, "ann", "{}")
		if p.resume(requestOf("ann", "{}", answered.q.state), nil) == nil {
			t.Error("the state is refused")
		}
		time.Sleep(pendingTimeout - time.Second)
		second := suspend(&p, "ann", "{}")
		if got := first.outcome(); got != "waiting" {
			t.Errorf("before the timeout, the question is %q", got)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		for _, c := range []struct {
			suspended
			want string
		}{{answered, "answered"}, {first, "no answer, cancelled"}, {second, "waiting"}} {
			if got := c.outcome(); got != c.want {
				t.Errorf("after the timeout, the question is %q, want %q", got, c.want)
			}
		}
		if p.resume(requestOf("ann", "{}", first.q.state), nil) != nil {
			t.Error("the state is valid after its time")
		}
	})
}

// When there are too many suspended calls, or their arguments are too long, the user with the most
// loses the oldest call.
func TestSuspendedCallsAreLimited(t *testing.T) {
	t.Parallel()
	const most = maxPendingBytes / minPendingBytes
	for name, c := range map[string]struct {
		arguments int // bytes of each call of ann
		kept      int // calls of ann that stay
	}{
		"short arguments": {10, most - 1},
		"long arguments":  {1 << 20, (maxPendingBytes - minPendingBytes) >> 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p pending
			bobs := suspend(&p, "bob", "{}")
			arguments := string(make([]byte, c.arguments))
			var anns []suspended
			for range c.kept + 3 {
				anns = append(anns, suspend(&p, "ann", arguments))
			}
			for i, s := range append(anns, bobs) {
				want := "waiting"
				if i < 3 {
					want = "no answer, cancelled"
				}
				if got := s.outcome(); got != want {
					t.Fatalf("question %d is %q, want %q", i, got, want)
				}
			}
		})
	}
}
