package remembered_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/policy/remembered"
)

// Environment variables of a child process: the directory, and a prefix for the approvals that it
// stores.
const childDir, childName = "APPROVALS_TEST_DIR", "APPROVALS_TEST_NAME"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := rememberMany(dir, os.Getenv(childName)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const each = 20 // the number of approvals that a child process stores

func rememberMany(dir, name string) error {
	f, err := remembered.Open(dir, remembered.Options{})
	if err != nil {
		return err
	}
	for i := range each {
		if _, err := f.Approvals.Remember(context.Background(), always(name+strconv.Itoa(i))); err != nil {
			return err
		}
	}
	return f.Close()
}

func always(digest string) remembered.Approval {
	return remembered.Approval{
		Tool: "issues", Key: remembered.NewKey(digest, []byte(`{"q":1}`), []string{"write:a"}), Grant: []string{"write:a"},
		Scope: remembered.ScopeAlways,
	}
}

// private returns a directory that does not exist yet, so that Open creates it.
func private(t *testing.T) string { return filepath.Join(t.TempDir(), "approvals") }

func open(t *testing.T, dir string, o remembered.Options) *remembered.Approvals {
	t.Helper()
	f, err := remembered.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f.Approvals
}

func remember(t *testing.T, s remembered.ApprovalStore, a remembered.Approval) remembered.Approval {
	t.Helper()
	kept, err := s.Remember(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

func finds(t *testing.T, s remembered.ApprovalStore, q remembered.Query) bool {
	t.Helper()
	_, ok, err := s.Find(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestAnApprovalIsBoundToWhatWasShown(t *testing.T) {
	f := open(t, private(t), remembered.Options{})
	digest, args, grant := "sha256:aa", []byte(`{"a":1}`), []string{"write:a", "env:B"}
	key := remembered.NewKey(digest, args, grant)
	remember(t, f, remembered.Approval{Tenant: "t", Tool: "x", Key: key, Scope: remembered.ScopeAlways})
	remember(t, f, remembered.Approval{Tenant: "s", Tool: "x", Key: key, Scope: remembered.ScopeSession, Session: "one"})
	remember(t, f, remembered.Approval{Tenant: "any", Tool: "x", Key: key, AnyArguments: true, Scope: remembered.ScopeAlways})
	other := remembered.NewKey(digest, []byte(`{"a":2}`), grant)
	for _, tc := range []struct {
		name  string
		query remembered.Query
		want  bool
	}{
		{"the same", remembered.Query{Tenant: "t", Key: key}, true},
		{"in a session", remembered.Query{Tenant: "t", Session: "two", Key: key}, true},
		{"the words in another order", remembered.Query{Tenant: "t", Key: remembered.NewKey(digest, args, []string{"env:B", "write:a", "env:B"})}, true},
		{"another tenant", remembered.Query{Tenant: "u", Key: key}, false},
		{"no tenant", remembered.Query{Key: key}, false},
		{"another digest", remembered.Query{Tenant: "t", Key: remembered.NewKey("sha256:ab", args, grant)}, false},
		{"no digest", remembered.Query{Tenant: "t", Key: remembered.NewKey("", args, grant)}, false},
		{"other arguments", remembered.Query{Tenant: "t", Key: other}, false},
		{"a word more", remembered.Query{Tenant: "t", Key: remembered.NewKey(digest, args, append(grant, "net:any"))}, false},
		{"a word less", remembered.Query{Tenant: "t", Key: remembered.NewKey(digest, args, grant[:1])}, false},
		{"words run together", remembered.Query{Tenant: "t", Key: remembered.NewKey(digest, args, []string{"env:Bwrite:a"})}, false},
		{"the session", remembered.Query{Tenant: "s", Session: "one", Key: key}, true},
		{"another session", remembered.Query{Tenant: "s", Session: "two", Key: key}, false},
		{"no session", remembered.Query{Tenant: "s", Key: key}, false},
		{"any arguments", remembered.Query{Tenant: "any", Key: other}, true},
		{"any arguments, another grant", remembered.Query{Tenant: "any", Key: remembered.NewKey(digest, args, nil)}, false},
		{"nothing", remembered.Query{}, false},
	} {
		if got := finds(t, f, tc.query); got != tc.want {
			t.Errorf("%s: found %v", tc.name, got)
		}
	}
}

func TestInvalidApprovalsAreRefused(t *testing.T) {
	f := open(t, private(t), remembered.Options{})
	good := always("d")
	for name, spoil := range map[string]func(*remembered.Approval){
		"once":                   func(a *remembered.Approval) { a.Scope = remembered.ScopeOnce },
		"no scope":               func(a *remembered.Approval) { a.Scope = "" },
		"session without one":    func(a *remembered.Approval) { a.Scope = remembered.ScopeSession },
		"always in a session":    func(a *remembered.Approval) { a.Session = "s" },
		"no digest":              func(a *remembered.Approval) { a.Key.Digest = "" },
		"no hash":                func(a *remembered.Approval) { a.Key.Grant = "x" },
		"no tool":                func(a *remembered.Approval) { a.Tool = "" },
		"ended":                  func(a *remembered.Approval) { a.Expires = time.Unix(1, 0) },
		"a long tenant":          func(a *remembered.Approval) { a.Tenant = strings.Repeat("x", 300) },
		"a word that is no text": func(a *remembered.Approval) { a.Grant = []string{"\xff"} },
	} {
		a := good
		spoil(&a)
		if _, err := f.Remember(t.Context(), a); err == nil {
			t.Errorf("%s is remembered", name)
		}
	}
	if list, err := f.List(t.Context(), ""); err != nil || len(list) != 0 {
		t.Errorf("list %v, %v", list, err)
	}
}

func TestListAndRevoke(t *testing.T) {
	dir := private(t)
	f, other := open(t, dir, remembered.Options{}), open(t, dir, remembered.Options{})
	first := remember(t, f, always("one"))
	second := always("two")
	second.Tool = "x\x1b[31m\u202e\U000e0041\ny"
	second.Grant = []string{"write:\x07"}
	kept := remember(t, f, second)
	if again := remember(t, f, always("one")); again.ID != first.ID {
		t.Error("the same approval has another ID")
	}
	theirs := always("one")
	theirs.Tenant = "t"
	remember(t, f, theirs)
	list, err := other.List(t.Context(), "")
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, a := range list {
		if a.ID == kept.ID && (a.Tool != `x\x1b[31m\u202e\U000e0041\ny` || a.Grant[0] != `write:\a`) {
			t.Errorf("printed as %q, %q", a.Tool, a.Grant)
		}
	}
	if ok, err := other.Revoke(t.Context(), "t", kept.ID); ok || err != nil {
		t.Errorf("revoked another tenant's: %v, %v", ok, err)
	}
	if ok, err := other.Revoke(t.Context(), "", first.ID); !ok || err != nil {
		t.Errorf("not revoked: %v, %v", ok, err)
	}
	if finds(t, f, remembered.Query{Key: first.Key}) {
		t.Error("found after another handle revoked it")
	}
	if !finds(t, f, remembered.Query{Key: kept.Key}) || !finds(t, f, remembered.Query{Tenant: "t", Key: first.Key}) {
		t.Error("revoking took others away")
	}
}

func TestExpiry(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	f := open(t, private(t), remembered.Options{SessionLifetime: time.Hour, Now: func() time.Time { return now }})
	session := always("s")
	session.Scope, session.Session = remembered.ScopeSession, "one"
	session = remember(t, f, session)
	limited := always("l")
	limited.Expires = now.Add(2 * time.Hour)
	limited = remember(t, f, limited)
	forever := remember(t, f, always("f"))
	found := func() [3]bool {
		return [3]bool{
			finds(t, f, remembered.Query{Session: "one", Key: session.Key}),
			finds(t, f, remembered.Query{Key: limited.Key}), finds(t, f, remembered.Query{Key: forever.Key}),
		}
	}
	for _, step := range []struct {
		after time.Duration
		want  [3]bool
	}{{59 * time.Minute, [3]bool{true, true, true}}, {time.Minute, [3]bool{false, true, true}}, {time.Hour, [3]bool{false, false, true}}} {
		now = now.Add(step.after)
		if got := found(); got != step.want {
			t.Errorf("after %v: %v", step.after, got)
		}
	}
	if list, err := f.List(t.Context(), ""); err != nil || len(list) != 1 {
		t.Errorf("list %v, %v", list, err)
	}
}

func TestACorruptFileApprovesNothing(t *testing.T) {
	dir := private(t)
	f := open(t, dir, remembered.Options{})
	kept := remember(t, f, always("d"))
	path := filepath.Join(dir, "approvals.jsonl")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		text string
		line int
	}{
		"cut off":           {string(good) + string(good[:40]), 2},
		"without an end":    {strings.TrimSpace(string(good)), 1},
		"no JSON":           {"\n" + string(good) + "yes\n", 3},
		"an unknown field":  {strings.Replace(string(good), `{"id"`, `{"only_on":"monday","id"`, 1), 1},
		"another tenant":    {strings.Replace(string(good), `"tool"`, `"tenant":"t","tool"`, 1), 1},
		"any arguments":     {strings.Replace(string(good), `"scope"`, `"any_arguments":true,"scope"`, 1), 1},
		"two on a line":     {strings.TrimSpace(string(good)) + string(good), 1},
		"zeros":             {string(good) + "\x00\x00\x00\n", 2},
		"far too large":     {strings.Repeat("\n", 9<<20), 0},
		"an unknown scope":  {strings.Replace(string(good), `"always"`, `"forever"`, 1), 1},
		"an empty approval": {"{}\n", 1},
	} {
		if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, ok, err := f.Find(t.Context(), remembered.Query{Key: kept.Key})
		var corrupt *remembered.CorruptError
		if ok || !errors.As(err, &corrupt) || corrupt.Line != tc.line {
			t.Errorf("%s: found %v, %v", name, ok, err)
			continue
		}
		if strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v names the directory", name, err)
		}
		if _, err := f.Remember(t.Context(), always("e")); err == nil {
			t.Errorf("%s: something is added to it", name)
		}
	}
}

func TestOthersCannotApprove(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no Unix permissions")
	}
	dir := private(t)
	f := open(t, dir, remembered.Options{})
	kept := remember(t, f, always("d"))
	for _, name := range []string{"approvals.jsonl", "approvals.lock"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	path := filepath.Join(dir, "approvals.jsonl")
	unsafe := func(what string) {
		t.Helper()
		_, ok, err := f.Find(t.Context(), remembered.Query{Key: kept.Key})
		var u *remembered.UnsafeError
		if ok || !errors.As(err, &u) {
			t.Errorf("%s: found %v, %v", what, ok, err)
		}
	}
	if err := os.Chmod(path, 0o622); err != nil {
		t.Fatal(err)
	}
	unsafe("writable by others")
	if err := os.Rename(path, path+".real"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("approvals.jsonl.real", path); err != nil {
		t.Fatal(err)
	}
	unsafe("a link")
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var u *remembered.UnsafeError
	if _, err := remembered.Open(dir, remembered.Options{}); !errors.As(err, &u) || strings.Contains(err.Error(), dir) {
		t.Errorf("opened a directory that others can read: %v", err)
	}
}

func TestProcessesAndGoroutinesLoseNothing(t *testing.T) {
	dir := private(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	const children = 3
	for i := range children {
		wg.Go(func() {
			child := exec.Command(self)
			child.Env = append(os.Environ(), childDir+"="+dir, childName+"=c"+strconv.Itoa(i)+"-")
			if out, err := child.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
		wg.Go(func() {
			if err := rememberMany(dir, "g"+strconv.Itoa(i)+"-"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := open(t, dir, remembered.Options{}).List(t.Context(), "")
	if err != nil || len(list) != 2*children*each {
		t.Errorf("%d approvals are left of %d: %v", len(list), 2*children*each, err)
	}
}

func TestNobodyWaitsBeyondTheContext(t *testing.T) {
	f := open(t, private(t), remembered.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Remember(ctx, always("d")); !errors.Is(err, context.Canceled) {
		t.Errorf("Remember: %v", err)
	}
	if _, _, err := f.Find(ctx, remembered.Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Find: %v", err)
	}
	if _, err := f.List(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("List: %v", err)
	}
}

func TestACrashWhileWritingLosesNothing(t *testing.T) {
	dir := private(t)
	f := open(t, dir, remembered.Options{})
	kept := remember(t, f, always("d"))
	if err := os.WriteFile(filepath.Join(dir, "approvals.new"), []byte(`{"id":"ha`), 0o600); err != nil {
		t.Fatal(err)
	}
	if !finds(t, f, remembered.Query{Key: kept.Key}) {
		t.Error("what was there is not found")
	}
	remember(t, f, always("e"))
	if !finds(t, f, remembered.Query{Key: kept.Key}) {
		t.Error("what was there is lost")
	}
}
