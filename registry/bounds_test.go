package registry

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// linkWorld is a tool that writes to a mount behind a link.
type linkWorld struct {
	*Registry
	link, a, b string
	asked      int
	onAsked    func()
	opened     []string // the directory of each call that ran: a or b
}

func newLinkWorld(t *testing.T) *linkWorld {
	t.Helper()
	w := &linkWorld{link: filepath.Join(t.TempDir(), "link"), a: t.TempDir(), b: t.TempDir()}
	for name, dir := range map[string]string{"a": w.a, "b": w.b} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.lead(t, w.a)
	store, err := remembered.Open(filepath.Join(t.TempDir(), "approvals"), remembered.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.Registry = New(Options{Approvals: ApprovalOptions{
		Store: store.Approvals,
		Approver: ApproverFunc(func(context.Context, Question) (Answer, error) {
			w.asked++
			if w.onAsked != nil {
				w.onAsked()
			}
			return Answer{Yes: true, Remember: remembered.ScopeAlways}, nil
		}),
	}})
	t.Cleanup(func() {
		_ = w.Close()
		_ = store.Close()
	})
	spec := echo()
	spec.Dangerous, spec.Sandboxed = true, true
	spec.Permissions.FS = []capability.FS{{Mount: "workspace", Mode: capability.ModeWrite}}
	run := &fake{execute: func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		b, err := hostfuncs.Bind(in.Grant, files.Options{}, hostfuncs.Services{})
		if err != nil {
			return tool.Result{}, &tool.Error{Code: tool.CodePermissionDenied, Message: err.Error()}
		}
		defer b.Close()
		for _, name := range []string{"a", "b"} {
			if _, err := b.Files.View("/workspace").Stat(name); err == nil {
				w.opened = append(w.opened, name)
			}
		}
		return tool.Result{}, nil
	}}
	if err := w.Tools().Register(spec, &identified{fake: run, digest: "sha256:aa"}); err != nil {
		t.Fatal(err)
	}
	w.SetRules(Rules{Grantable: capability.Grantable{Mounts: map[string]capability.Mount{"workspace": {Dir: w.link, Mode: capability.ModeWrite}}}})
	return w
}

// lead points the link to a directory.
func (w *linkWorld) lead(t *testing.T, dir string) {
	t.Helper()
	_ = os.Remove(w.link) // there may be none
	if err := os.Symlink(dir, w.link); err != nil {
		t.Skip("this system has no links: ", err)
	}
}

func (w *linkWorld) call(t *testing.T) error {
	t.Helper()
	_, err := w.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: []byte(`{"text":"a"}`)})
	return err
}

// A remembered approval covers only the directory that the link led to at the time of the approval.
func TestRememberedApprovalIsForTheDirectory(t *testing.T) {
	w := newLinkWorld(t)
	for i, step := range []struct {
		to    string
		asked int
	}{{w.a, 1}, {w.a, 1}, {w.b, 2}, {w.b, 2}, {w.a, 2}} {
		w.lead(t, step.to)
		if err := w.call(t); err != nil || w.asked != step.asked {
			t.Fatalf("call %d: asked %d times, want %d; %v", i, w.asked, step.asked, err)
		}
	}
	// Now the same path leads to a different directory.
	w.lead(t, w.a)
	if err := os.Rename(w.a, w.a+"-kept"); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(w.a, os.DirFS(w.b)); err != nil {
		t.Fatal(err)
	}
	if err := w.call(t); err != nil || w.asked != 3 {
		t.Errorf("another directory of the same name: asked %d times, %v", w.asked, err)
	}
}

// A call does not run in a directory that replaced the approved directory.
func TestApprovalIsForTheDirectoryOfTheQuestion(t *testing.T) {
	w := newLinkWorld(t)
	w.onAsked = func() { w.lead(t, w.b) }
	wantCode(t, w.call(t), tool.CodePermissionDenied)
	if len(w.opened) > 0 {
		t.Errorf("the tool ran in %q", w.opened)
	}
	w.onAsked = nil
	if err := w.call(t); err != nil || w.asked != 2 || len(w.opened) != 1 || w.opened[0] != "b" {
		t.Errorf("afterwards: asked %d times, ran in %q, %v", w.asked, w.opened, err)
	}
	// The approval does not cover a directory that is created after the approver was asked.
	w.lead(t, filepath.Join(w.a, "later"))
	w.onAsked = func() {
		if err := os.CopyFS(filepath.Join(w.a, "later"), os.DirFS(w.b)); err != nil {
			t.Error(err)
		}
	}
	wantCode(t, w.call(t), tool.CodePermissionDenied)
}
