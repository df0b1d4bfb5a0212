package pipeline

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Directories that hang in the host count against the limit. At the limit, further calls wait until
// their context ends. They do not try to open directories, because that could hang as well.
func TestOpeningDirectoriesIsCapped(t *testing.T) {
	p := open(t, nil)
	for range maxOpenings {
		p.openings <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	mounts := []capability.GrantedFS{{FS: capability.FS{Mount: "workspace"}, Dir: t.TempDir()}}
	var e *tool.Error
	if _, err := p.pin(ctx, mounts); !errors.As(err, &e) || e.Code != tool.CodeCancelled {
		t.Errorf("got %v", err)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := p.pin(late, mounts); !errors.As(err, &e) || e.Code != tool.CodeTimeout {
		t.Errorf("got %v", err)
	}
	<-p.openings
	if pinned, err := p.pin(t.Context(), mounts); err != nil || pinned[0].target == "" || len(p.openings) != maxOpenings-1 {
		t.Errorf("with a place: %v, %v, %d openings", pinned, err, len(p.openings))
	}
}

// A grant stays tied to its directory, even if the path leads to a different directory when the
// approver is asked.
func TestAGrantedDirectoryStaysPinned(t *testing.T) {
	p := open(t, nil)
	other, err := os.Stat(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pinned, err := p.pin(t.Context(), []capability.GrantedFS{{FS: capability.FS{Mount: "workspace"}, Dir: dir, Is: other}})
	if err != nil || pinned[0].target != "" {
		t.Fatalf("got %v, %v", pinned, err)
	}
	if now, err := os.Stat(dir); err != nil || os.SameFile(pinned[0].Is, now) {
		t.Errorf("the call may open the new directory: %v", err)
	}
}

// A question shows the operator the target of a link.
func TestQuestionShowsTheTargetOfALink(t *testing.T) {
	grant := capability.Grant{FS: []capability.GrantedFS{{
		FS: capability.FS{Mount: "workspace", Mode: capability.ModeWrite}, Dir: "/w/link", Real: "/home/me/.ssh",
	}}}
	if text := strings.Join(grant.Describe(true), ""); !strings.Contains(text, "(/w/link, which leads to /home/me/.ssh)") {
		t.Error(text)
	}
	if text := strings.Join(grant.Describe(false), ""); strings.Contains(text, "/home") {
		t.Error(text)
	}
}
