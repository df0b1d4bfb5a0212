package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// person answers questions in place of a user.
type person struct {
	action   string
	remember string
	asked    atomic.Int32
	message  atomic.Value
}

func (p *person) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		p.asked.Add(1)
		p.message.Store(r.Params.Message)
		result := &mcp.ElicitResult{Action: p.action}
		if p.remember != "" {
			result.Content = map[string]any{"remember": p.remember}
		}
		return result, nil
	}}
}

func askingTool() tool.Spec {
	return tool.Spec{
		Name: "deletes", Version: "1.0.0", Dangerous: true, Confirm: "Delete {path}?", Sandboxed: true,
		Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`),
	}
}

func TestClientIsAskedForApproval(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		for _, c := range []struct {
			action string
			runs   bool
			code   string
		}{
			{"accept", true, ""},
			{"decline", false, "permission_denied"},
			{"cancel", false, "permission_denied"},
		} {
			t.Run(revision+" "+c.action, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, mcpserver.Options{})
				var ran atomic.Int32
				w.add(t, askingTool(), func(context.Context, tool.Invocation) (tool.Result, error) {
					ran.Add(1)
					return tool.Result{Content: []tool.Content{tool.TextContent("gone")}}, nil
				})
				p := &person{action: c.action}
				session := w.connect(t, revision, p.options())
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "deletes", Arguments: map[string]any{"path": "a\x1b[2J"}})
				if err != nil {
					t.Fatal(err)
				}
				if (ran.Load() == 1) != c.runs || result.IsError == c.runs || p.asked.Load() != 1 {
					t.Errorf("ran %d times, asked %d times, got %q", ran.Load(), p.asked.Load(), textOf(result))
				}
				if code, _ := result.Meta["io.github.wasmtool/code"].(string); code != c.code {
					t.Errorf("the code is %q, want %q", code, c.code)
				}
				message := p.message.Load().(string)
				want := "May the tool deletes 1.0.0 run? The tool is dangerous.\n" +
					"It can reach nothing outside its sandbox.\n" +
					"Its arguments:\n" +
					"  path: \"a\\x1b[2J\"\n" +
					"Its author says: Delete \"a\\x1b[2J\"?\n"
				if message != want {
					t.Errorf("the question is\n%s\nwant\n%s", message, want)
				}
				if strings.Contains(message, "\x1b") {
					t.Errorf("the question holds a control character: %q", message)
				}
			})
		}
	}
}

// A call of a client that cannot ask its user is denied at once.
func TestClientWithoutElicitationIsDenied(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		w := newWorld(t, mcpserver.Options{})
		w.add(t, askingTool(), says("ran"))
		session := w.connect(t, revision, nil)
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "deletes"})
		if err != nil {
			t.Fatal(err)
		}
		if !result.IsError || result.Meta["io.github.wasmtool/code"] != "approval_required" || !strings.Contains(textOf(result), "no approver is available") {
			t.Errorf("%s: got %q %v", revision, textOf(result), result.Meta)
		}
	}
}

func TestApprovalForTheSession(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		w := newWorld(t, mcpserver.Options{})
		w.add(t, askingTool(), says("gone"))
		p := &person{action: "accept", remember: "session"}
		session := w.connect(t, revision, p.options())
		for range 3 {
			callText(t, session, "deletes", map[string]any{"path": "a"})
		}
		if got := p.asked.Load(); got != 1 {
			t.Errorf("%s: asked %d times about the same call", revision, got)
		}
		callText(t, session, "deletes", map[string]any{"path": "b"})
		callText(t, w.connect(t, revision, p.options()), "deletes", map[string]any{"path": "a"})
		if got := p.asked.Load(); got != 3 {
			t.Errorf("%s: asked %d times, want again for other arguments and for another session", revision, got)
		}
	}
}

// An approval applies only to the call that was asked about, and only once.
func TestApprovalHoldsForOneQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	var ran atomic.Int32
	w.add(t, askingTool(), func(context.Context, tool.Invocation) (tool.Result, error) {
		ran.Add(1)
		return tool.Result{}, nil
	})
	client := (&person{action: "accept"}).options()
	client.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	session := w.connect(t, "2026-07-28", client)
	call := func(path, state string) *mcp.CallToolResult {
		t.Helper()
		params := &mcp.CallToolParams{Name: "deletes", Arguments: map[string]any{"path": path}}
		if state != "" {
			params.RequestState = state
			params.InputResponses = mcp.InputResponseMap{"approval": &mcp.ElicitResult{Action: "accept"}}
		}
		result, err := session.CallTool(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	first := call("harmless", "")
	if !first.NeedsInput() || first.RequestState == "" {
		t.Fatalf("no question was asked: %q", textOf(first))
	}
	for name, state := range map[string]string{"another call": first.RequestState, "made up": "ABCDEF"} {
		if got := call("everything", state); !got.NeedsInput() || ran.Load() != 0 {
			t.Errorf("%s: the answer was accepted", name)
		}
	}
	second := call("harmless", "")
	if got := call("harmless", second.RequestState); got.NeedsInput() || ran.Load() != 1 {
		t.Errorf("the right answer was refused: %q", textOf(got))
	}
	if got := call("harmless", second.RequestState); !got.NeedsInput() || ran.Load() != 1 {
		t.Error("the answer was accepted twice")
	}
}

// An approval is for the denials that applied when the approver was asked, even if they change
// before the answer.
func TestApprovalIsForTheAskedDenials(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	url, err := capability.ParseURLPattern("https://api.example.com/")
	if err != nil {
		t.Fatal(err)
	}
	denied, err := capability.ParsePermission("net:https://api.example.com/admin/")
	if err != nil {
		t.Fatal(err)
	}
	rules := func(deny ...capability.Permission) registry.Rules {
		return registry.Rules{Grantable: capability.Grantable{Net: []capability.GrantableNet{{URL: url}}, Deny: deny}}
	}
	spec := askingTool()
	spec.Permissions.Net = []capability.Net{{URL: url, Methods: []string{"GET"}}}
	w.tools.SetRules(rules(denied))
	w.add(t, spec, func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		return tool.Result{Content: []tool.Content{tool.TextContent(fmt.Sprint("without ", in.Grant.NetDeny))}}, nil
	})
	r := newRounds(t, w, "deletes", map[string]any{"path": "a"})
	if about, _ := r.next(accept); about == "" {
		t.Error("no question was asked")
	}
	w.tools.SetRules(rules())
	if _, result := r.next(nil); textOf(result) != "without [net:https://api.example.com/admin/]" {
		t.Errorf("got %q", textOf(result))
	}
}

// brokenStore is a store that panics.
type brokenStore struct{ remembered.ApprovalStore }

func (brokenStore) Find(context.Context, remembered.Query) (remembered.Approval, bool, error) {
	panic("a fault")
}

// A panic of the host ends one request and not the server, and the error reveals no internals.
func TestPanicEndsOneRequest(t *testing.T) {
	t.Parallel()
	tools := registry.New(registry.Options{Approvals: registry.ApprovalOptions{Store: brokenStore{}}})
	defer tools.Close()
	w := &world{tools: tools, server: mcpserver.New(tools, mcpserver.Options{})}
	defer w.server.Close()
	w.add(t, askingTool(), says("ran"))
	w.add(t, tool.Spec{Name: "plain"}, says("fine"))
	for _, revision := range revisions {
		session := w.connect(t, revision, nil)
		var wire *jsonrpc.Error
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "deletes"})
		if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInternalError || strings.Contains(wire.Message, "a fault") {
			t.Errorf("%s: got %v", revision, err)
		}
		if got := callText(t, session, "plain", nil); got != "fine" {
			t.Errorf("%s: afterwards got %q", revision, got)
		}
	}
}

// An approval is for the directory that a mount referred to when the approver was asked, even if
// the mount refers to another directory before the answer.
func TestApprovalIsForTheAskedDirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	link := filepath.Join(t.TempDir(), "link")
	lead := func(dir string) {
		_ = os.Remove(link) // there may be no link yet
		if err := os.Symlink(dir, link); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	asked := t.TempDir()
	lead(asked)
	spec := askingTool()
	spec.Permissions.FS = []capability.FS{{Mount: "workspace", Mode: capability.ModeWrite}}
	w.tools.SetRules(registry.Rules{Grantable: capability.Grantable{
		Mounts: map[string]capability.Mount{"workspace": {Dir: link, Mode: capability.ModeWrite}},
	}})
	granted := make(chan capability.GrantedFS, 1)
	w.add(t, spec, func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		granted <- in.Grant.FS[0]
		return tool.Result{}, nil
	})
	r := newRounds(t, w, "deletes", map[string]any{"path": "a"})
	if about, _ := r.next(accept); about == "" || strings.Contains(about, link) {
		t.Errorf("the question is missing or names a directory of the host: %q", about)
	}
	lead(t.TempDir())
	r.next(nil)
	want, err := os.Stat(asked)
	if err != nil {
		t.Fatal(err)
	}
	// The directory is compared when it is opened: see TestOnlyTheApprovedDirectoryIsMounted.
	if got := <-granted; !os.SameFile(got.Is, want) {
		t.Errorf("the call may access %+v, not the directory that the question was about", got)
	}
}
