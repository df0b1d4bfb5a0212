package registry

import (
	"context"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// guide is a guest that describes itself, and records its grants.
type guide struct {
	fake
	granted []capability.Grant
}

func (g *guide) Describe(_ context.Context, grant capability.Grant) (tool.Definition, error) {
	g.granted = append(g.granted, grant)
	return tool.Definition{Description: "Its own words."}, nil
}

func (g *guide) Digest(context.Context) (string, error) { return "sha256:guide", nil }

// A guest may describe itself only if it may read, without an approval, all directories that it
// requests. It then gets these directories and nothing else. Otherwise its tool keeps the
// registered definition.
func TestGuestDescribesItselfOnlyWithinItsGrant(t *testing.T) {
	dir := t.TempDir()
	offer := capability.Grantable{
		Mounts: map[string]capability.Mount{"workspace": {Dir: dir, Mode: capability.ModeWrite}},
		Env:    map[string]string{"HOME": "/x"}, KV: capability.ModeWrite, Clock: true, Random: true,
	}
	ask := compile(t, policy.Config{Rules: []policy.Rule{{Effect: policy.Ask, Tools: []string{"echo"}}}})
	for name, tt := range map[string]struct {
		rules  Rules
		change func(*tool.Spec, *Options)
		runs   bool
	}{
		"the directory is granted":     {rules: Rules{Grantable: offer}, runs: true},
		"nothing is granted":           {},
		"another directory is granted": {rules: Rules{Grantable: capability.Grantable{Mounts: map[string]capability.Mount{"other": {Dir: dir}}}}},
		"calls need an approval":       {rules: Rules{Grantable: offer, Policy: ask}},
		"the tool is denied":           {rules: Rules{Grantable: offer, Policy: compile(t, policy.Config{Deny: []string{"echo"}})}},
		"the tool is dangerous":        {rules: Rules{Grantable: offer}, change: func(s *tool.Spec, _ *Options) { s.Dangerous = true }},
		"the tool is revoked":          {rules: Rules{Grantable: offer, Revoked: []string{"sha256:guide"}}},
		"another tool is pinned":       {rules: Rules{Grantable: offer, Digests: map[string]string{"echo": "sha256:other"}}},
		"the tool is held":             {rules: Rules{Grantable: offer}},
		"nobody may":                   {rules: Rules{Grantable: offer}, change: func(_ *tool.Spec, o *Options) { o.Tools.NoDescriptions = true }},
		"it requests no directory":     {change: func(s *tool.Spec, _ *Options) { s.Permissions = capability.Permissions{} }, runs: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Rules: tt.rules}
			spec := editor()
			spec.Permissions.FS = append(spec.Permissions.FS, capability.FS{Mount: capability.ScratchMount, Mode: capability.ModeWrite})
			spec.Permissions.Env, spec.Permissions.KV = []string{"HOME"}, capability.ModeWrite
			spec.Permissions.Clock, spec.Permissions.Random = true, true
			if tt.change != nil {
				tt.change(&spec, &o)
			}
			r, g := New(o), &guide{}
			if err := r.Tools().Register(spec, g); err != nil {
				t.Fatal(err)
			}
			if name == "the tool is held" {
				release, err := r.Calls().Drain(t.Context(), ledger.Selector{Tool: "echo"})
				if err != nil {
					t.Fatal(err)
				}
				defer release()
			}
			for range 2 {
				if err := r.Tools().Describe(t.Context()); err != nil {
					t.Error(err)
				}
			}
			info, _ := r.Tools().Get("echo")
			if ran := info.Description == "Its own words."; ran != tt.runs || ran != (len(g.granted) == 1) {
				t.Fatalf("it says %q after %d runs", info.Description, len(g.granted))
			}
			for _, grant := range g.granted {
				for _, fs := range grant.FS {
					if fs.Mount != "workspace" || fs.Mode != capability.ModeRead {
						t.Errorf("it has %+v", fs)
					}
				}
				if len(grant.Env) > 0 || grant.KV != capability.ModeNone || grant.Clock || grant.Random || len(grant.Net) > 0 {
					t.Errorf("it has %+v", grant)
				}
			}
			r.SetRules(Rules{Grantable: offer}) // after SetRules, failed descriptions are retried
			if spec.Dangerous || o.Tools.NoDescriptions || name == "the tool is held" {
				return
			}
			if err := r.Tools().Describe(t.Context()); err != nil {
				t.Error(err)
			}
			if info, _ := r.Tools().Get("echo"); info.Description != "Its own words." {
				t.Errorf("once it is allowed, the description is %q", info.Description)
			}
		})
	}
}

// directoryGuide is a guest whose description names the directory that it reads.
type directoryGuide struct {
	guide
	reading chan struct{} // receives a value when the guest reads; may be nil
	goOn    chan struct{}
}

func (g *directoryGuide) Describe(_ context.Context, grant capability.Grant) (tool.Definition, error) {
	if g.reading != nil {
		g.reading <- struct{}{}
		<-g.goOn
	}
	return tool.Definition{Description: "Reads " + grant.FS[0].Dir}, nil
}

// A description under old rules is not used under new rules.
func TestNewRulesResetDescriptions(t *testing.T) {
	rules := func(dir string) Rules {
		return Rules{Grantable: capability.Grantable{Mounts: map[string]capability.Mount{"workspace": {Dir: dir, Mode: capability.ModeWrite}}}}
	}
	one, two := t.TempDir(), t.TempDir()
	says := func(r *Registry, want string) {
		t.Helper()
		if info, _ := r.Tools().Get("echo"); info.Description != want {
			t.Errorf("it says %q, want %q", info.Description, want)
		}
	}
	describe := func(r *Registry) {
		t.Helper()
		if err := r.Tools().Describe(t.Context()); err != nil {
			t.Error(err)
		}
	}
	spec := editor()
	made := func(g *directoryGuide) *Registry {
		t.Helper()
		r := New(Options{Rules: rules(one)})
		if err := r.Tools().Register(spec, g); err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Run("after", func(t *testing.T) {
		r := made(&directoryGuide{})
		describe(r)
		says(r, "Reads "+one)
		r.SetRules(rules(two))
		describe(r)
		says(r, "Reads "+two)
		r.SetRules(Rules{})
		says(r, spec.Description)
		describe(r)
		says(r, spec.Description)
	})
	t.Run("meanwhile", func(t *testing.T) {
		g := &directoryGuide{reading: make(chan struct{}), goOn: make(chan struct{})}
		r := made(g)
		done := make(chan error, 1)
		go func() { done <- r.Tools().Describe(context.Background()) }()
		<-g.reading
		r.SetRules(Rules{})
		close(g.goOn)
		if err := <-done; err != nil {
			t.Error(err)
		}
		says(r, spec.Description)
	})
}
