package spec

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/record"
)

func do(args Args) string {
	result, err := Run(record.Host(), args)
	if err != nil {
		return "error: " + err.Error()
	}
	return result.Content[0].Text
}

func TestRun(t *testing.T) {
	for _, step := range []struct {
		args Args
		want string
	}{
		{Args{Action: ActionList}, "There are no specifications; write creates one."},
		{Args{Action: ActionGet, Name: "login"}, `error: specification "login" does not exist; list shows all, and write creates one`},
		{Args{Action: ActionWrite, Name: "login", Title: "Log in by e-mail", Part: "requirements", Text: "A user gets a link.\n"}, "login: draft, revision 1: Log in by e-mail (new)"},
		{Args{Action: ActionWrite, Name: "login", Part: "tasks", Text: "1. The form"}, "login: draft, revision 2: Log in by e-mail (changed)"},
		{Args{Action: ActionStatus, Name: "login", Status: Approved, Revision: 1}, "error: the specification is at revision 2, not 1, because it was changed after you read it; use get and repeat your change"},
		{Args{Action: ActionStatus, Name: "login", Status: Approved, Revision: 2}, "login: approved, revision 3: Log in by e-mail (changed)"},
		{Args{Action: ActionGet, Name: "login"}, "login: approved, revision 3: Log in by e-mail\n\n## Requirements\n\nA user gets a link.\n\n## Tasks\n\n1. The form"},
		{Args{Action: ActionWrite, Name: "login", Part: "design", Text: "One table."}, "login: draft, revision 4: Log in by e-mail (changed)"},
		{Args{Action: ActionWrite, Name: "login"}, "error: the action write has nothing to change; give a part and its text, or a title"},
		{Args{Action: ActionWrite, Name: "Log in", Part: "design"}, `error: name: "Log in" is invalid; use lower-case letters, digits, dots, hyphens and underscores, as in user-login`},
		{Args{Action: ActionWrite, Name: "big", Part: "design", Text: strings.Repeat("x", MaxPart+1)}, "error: the argument \"text\" has 100001 bytes; the limit is 100000, so shorten it"},
		{Args{Action: ActionWrite, Name: "login", Title: "Log in\nother: approved"}, "error: the argument \"title\" has a line feed or another control character; give a single line"},
		{Args{Action: ActionStatus, Name: "login"}, "error: the argument \"status\" is missing; give draft, approved or done"},
		{Args{Action: ActionStatus, Name: "none", Status: Done}, `error: specification "none" does not exist; list shows all, and write creates one`},
		{Args{Action: ActionList}, "login: draft, revision 4: Log in by e-mail"},
		{Args{Action: ActionDelete, Name: "login", Revision: 3}, "error: the specification is at revision 4, not 3, because it was changed after you read it; use get and repeat your change"},
		{Args{Action: ActionDelete, Name: "login"}, "login is deleted"},
		{Args{Action: ActionDelete, Name: "login", Revision: 4}, `error: specification "login" does not exist; list shows all, and write creates one`},
		{Args{Action: ActionList}, "There are no specifications; write creates one."},
	} {
		if got := do(step.args); got != step.want {
			t.Errorf("%+v:\ngot  %q\nwant %q", step.args, got, step.want)
		}
	}
}

// If several concurrent changes are based on the same revision, exactly one of them succeeds.
func TestConcurrentChangesConflict(t *testing.T) {
	do(Args{Action: ActionWrite, Name: "race", Part: "tasks", Text: "x"})
	var wait sync.WaitGroup
	got := make([]string, 20)
	for n := range got {
		wait.Go(func() {
			got[n] = do(Args{Action: ActionWrite, Name: "race", Part: "design", Text: fmt.Sprint(n), Revision: 1})
		})
	}
	wait.Wait()
	won := 0
	for _, text := range got {
		if !strings.HasPrefix(text, "error: the specification is at revision 2, not 1") {
			won++
		}
	}
	if won != 1 {
		t.Errorf("%d of %d changes of revision 1 were made: %q", won, len(got), got)
	}
	do(Args{Action: ActionDelete, Name: "race"})
}

func TestBounds(t *testing.T) {
	for n := range MaxSpecs {
		do(Args{Action: ActionWrite, Name: fmt.Sprint("s", n), Title: "x"})
	}
	if got := do(Args{Action: ActionWrite, Name: "more", Title: "x"}); !strings.HasPrefix(got, "error: the store already has 500 specifications, which is the limit") {
		t.Errorf("got %q", got)
	}
	if got := do(Args{Action: ActionWrite, Name: "s7", Title: "y"}); got != "s7: draft, revision 2: y (changed)" {
		t.Errorf("got %q", got)
	}
	for n := range MaxSpecs {
		do(Args{Action: ActionDelete, Name: fmt.Sprint("s", n)})
	}
}
