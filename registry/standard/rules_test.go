package standard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// named is a tool that does nothing.
type named struct{}

func (named) Prepare(context.Context) error { return nil }
func (named) Close() error                  { return nil }
func (named) Execute(context.Context, tool.Invocation) (tool.Result, error) {
	return tool.Result{}, nil
}

// An entry of the operator's file for a tool that does not exist is reported. The entry, including
// its denials, applies to a tool of that name that is added later.
func TestEntriesForUnknownToolsApplyLater(t *testing.T) {
	file, err := config.Decode(config.File{Name: "wasmtool.toml"}, []byte("[policy]\ndeny = [\"lather\"]\n"+
		"[tools.later]\ndeny = [\"clock\"]\n[tools.calculater]\nauto_execute = true\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	tools, err := standard.New(standard.Options{
		Config:   file,
		NoCache:  true,
		StateDir: t.TempDir(),
		Registry: registry.Options{Logger: slog.New(slog.NewTextHandler(&told, nil))},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	for _, want := range []string{
		`wasmtool.toml:2: deny[0]: no tool \"lather\" is loaded`,
		`wasmtool.toml:3: tools.later: no tool \"later\" is loaded`,
		`wasmtool.toml:5: tools.calculater: no tool \"calculater\" is loaded; did you mean calculator?`,
	} {
		if strings.Count(told.String(), want) != 1 {
			t.Errorf("told %s, want %s in it", &told, want)
		}
	}
	asks := capability.Permissions{Clock: true}
	for name, want := range map[string]tool.Code{"later": tool.CodePermissionDenied, "lather": tool.CodeDisabled, "others": ""} {
		spec := tool.Spec{Name: name, Description: "Does nothing.", Parameters: json.RawMessage(`{"type":"object"}`), Permissions: asks}
		if err := tools.Tools().Register(spec, named{}); err != nil {
			t.Fatal(err)
		}
		if _, err := tools.Execute(t.Context(), tool.Call{Tool: name}); tool.CodeOf(err) != want {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}

// A single tool is loaded without the others, so names of other tools are not reported.
func TestASingleToolDoesNotMakeOthersUnknown(t *testing.T) {
	w := newWatching(t, "")
	file, err := config.Decode(config.File{Name: "wasmtool.toml"}, []byte("[policy]\ndeny = [\"two\"]\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	tools, err := standard.New(standard.Options{
		Config:   file,
		Sources:  standard.Sources{Tool: w.dir + "/one", NoBuiltins: true},
		NoCache:  true,
		StateDir: t.TempDir(),
		Registry: registry.Options{Logger: slog.New(slog.NewTextHandler(&told, nil))},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	if told.Len() > 0 {
		t.Errorf("told %s", &told)
	}
}

// The Rules of a program apply in addition to the operator's file, which takes precedence.
func TestRulesOfTheProgram(t *testing.T) {
	file, err := config.Decode(config.File{Name: "wasmtool.toml"}, []byte("[revoked]\ndigests = [\"sha256:"+strings.Repeat("1", 64)+"\"]\n"+
		"[grants]\nallow = [\"kv:write\"]\n[tools.own]\ndigest = \"sha256:"+strings.Repeat("2", 64)+"\"\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	tools := registry.New(registry.Options{})
	defer tools.Close()
	for _, name := range []string{"own", "other"} {
		spec := tool.Spec{Name: name, Description: "Does nothing.", Parameters: json.RawMessage(`{"type":"object"}`)}
		if err := tools.Tools().Register(spec, named{}); err != nil {
			t.Fatal(err)
		}
	}
	clock, err := capability.ParsePermission("clock")
	if err != nil {
		t.Fatal(err)
	}
	given := registry.Rules{
		Grantable:      capability.Grantable{Deny: capability.Deny{clock}},
		ToolGrantables: map[string]capability.Grantable{"own": {Env: map[string]string{"A": "a"}}},
		Digests:        map[string]string{"own": "mine", "other": "mine"},
		Revoked:        []string{"mine"},
	}
	o := standard.Options{Config: file, Registry: registry.Options{Rules: given}}
	rules, err := standard.Rules(o, tools)
	if err != nil {
		t.Fatal(err)
	}
	own, other := rules.GrantableFor("own"), rules.GrantableFor("other")
	if own.Env["A"] != "a" || len(own.Deny) > 0 || own.KV != capability.ModeWrite {
		t.Errorf("its own offer is %+v", own)
	}
	if other.Env["A"] != "" || !slices.Contains(other.Deny, clock) || other.KV != capability.ModeWrite {
		t.Errorf("the offer of others is %+v", other)
	}
	if rules.Digests["other"] != "mine" || rules.Digests["own"] == "mine" || len(rules.Revoked) != 2 {
		t.Errorf("pinned %v, revoked %v", rules.Digests, rules.Revoked)
	}
	o.Registry.Rules.Policy = policy.Default()
	if _, err := standard.Rules(o, tools); tool.CodeOf(err) != tool.CodeUsage {
		t.Errorf("a policy of its own: %v", err)
	}
}
