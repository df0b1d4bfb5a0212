package remembered_test

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/policy/remembered"
)

func openGrants(t *testing.T, dir string) *remembered.Grants {
	t.Helper()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	f, err := remembered.Open(dir, remembered.Options{Now: func() time.Time {
		now = now.Add(time.Second)
		return now
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f.Grants
}

func rememberGrant(t *testing.T, s remembered.GrantStore, g remembered.Grant) remembered.Grant {
	t.Helper()
	kept, err := s.Remember(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// words returns the permissions of a tool's grants, keyed by the digest of the tool.
func words(t *testing.T, s remembered.GrantStore, tenant, tool string) map[string][]string {
	t.Helper()
	list, err := s.Find(t.Context(), tenant, tool)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string][]string)
	for _, g := range list {
		found[g.Digest] = g.Permissions
	}
	return found
}

func TestGrantsAreAddedUpForOneDigestAndTenant(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	f, other := openGrants(t, dir), openGrants(t, dir)
	first := rememberGrant(t, f, remembered.Grant{Tool: "x", Digest: "sha256:a", Permissions: []string{"write:ws"}})
	again := rememberGrant(t, other, remembered.Grant{Tool: "x", Digest: "sha256:a", Permissions: []string{"env:LANG", "write:ws"}})
	if again.ID != first.ID {
		t.Error("the same tool has another ID")
	}
	rememberGrant(t, f, remembered.Grant{Tool: "x", Digest: "sha256:b", AutoExecute: true})
	rememberGrant(t, f, remembered.Grant{Tenant: "t", Tool: "x", Digest: "sha256:a", Permissions: []string{"clock"}})
	rememberGrant(t, f, remembered.Grant{Tool: "y", Digest: "sha256:a", Permissions: []string{"random"}})
	if got, want := words(t, other, "", "x"), (map[string][]string{"sha256:a": {"env:LANG", "write:ws"}, "sha256:b": nil}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := words(t, other, "t", "y"); len(got) != 0 {
		t.Errorf("another tenant's: %v", got)
	}
	if ok, err := f.Revoke(t.Context(), "t", first.ID); ok || err != nil {
		t.Errorf("revoked another tenant's: %v, %v", ok, err)
	}
	if ok, err := f.Revoke(t.Context(), "", first.ID); !ok || err != nil {
		t.Errorf("not revoked: %v, %v", ok, err)
	}
	if got, want := words(t, other, "", "x"), (map[string][]string{"sha256:b": nil}); !reflect.DeepEqual(got, want) {
		t.Errorf("after revoking: %v", got)
	}
	if list, err := other.List(t.Context(), ""); err != nil || len(list) != 2 || list[0].Digest != "sha256:b" || list[1].Tool != "y" {
		t.Errorf("list %v, %v", list, err)
	}
}

func TestInvalidGrantsAreRefused(t *testing.T) {
	f := openGrants(t, filepath.Join(t.TempDir(), "a"))
	for name, g := range map[string]remembered.Grant{
		"nothing":           {Tool: "x", Digest: "d"},
		"no tool":           {Digest: "d", Permissions: []string{"clock"}},
		"no digest":         {Tool: "x", Permissions: []string{"clock"}},
		"no word":           {Tool: "x", Digest: "d", Permissions: []string{"everything"}},
		"another spelling":  {Tool: "x", Digest: "d", Permissions: []string{"net:https://EXAMPLE.com"}},
		"a long tenant":     {Tool: "x", Digest: "d", Permissions: []string{"clock"}, Tenant: strings.Repeat("x", 300)},
		"a tool in no text": {Tool: "\xff", Digest: "d", Permissions: []string{"clock"}},
	} {
		if kept, err := f.Remember(t.Context(), g); err == nil {
			t.Errorf("%s: %+v is remembered", name, kept)
		}
	}
	if list, err := f.List(t.Context(), ""); err != nil || len(list) != 0 {
		t.Errorf("list %v, %v", list, err)
	}
}

func TestAFileThatIsNotTheOperatorsGrantsNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	f := openGrants(t, dir)
	rememberGrant(t, f, remembered.Grant{Tool: "x", Digest: "d", Permissions: []string{"clock"}})
	path := filepath.Join(dir, "grants.jsonl")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"another tool":   strings.Replace(string(good), `"x"`, `"y"`, 1),
		"another digest": strings.Replace(string(good), `"d"`, `"e"`, 1),
		"another tenant": strings.Replace(string(good), `"tool"`, `"tenant":"t","tool"`, 1),
		"a field more":   strings.Replace(string(good), `"tool"`, `"until":"monday","tool"`, 1),
		"no word":        strings.Replace(string(good), `"clock"`, `"all"`, 1),
		"cut off":        string(good[:len(good)-2]),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := f.Find(t.Context(), "", "x"); err == nil {
			t.Errorf("%s: found %v", name, list)
		} else if !strings.Contains(err.Error(), "grants.jsonl, line 1") || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o660); err != nil {
		t.Fatal(err)
	}
	if list, err := f.Find(t.Context(), "", "x"); err == nil || !strings.Contains(err.Error(), "chmod it to 600") {
		t.Errorf("writable by others: %v, %v", list, err)
	}
}
