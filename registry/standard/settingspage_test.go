package standard_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// entry is what a settings page reads about a tool, and what it writes back.
type entry struct {
	Name        string
	Enabled     bool
	AutoExecute bool `json:"auto_execute"`
	Settings    []tool.Setting
}

func (e entry) values() map[string]string {
	values := map[string]string{}
	for _, s := range e.Settings {
		values[s.Name] = s.Value
	}
	return values
}

// A settings page can write back everything that it read, and nothing changes. What it changes, it
// reads again.
func TestSettingsPageWritesBackWhatItRead(t *testing.T) {
	tools, err := standard.New(standard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	read := func() (text string, page []entry) {
		t.Helper()
		list, err := json.Marshal(tools.Tools().List(catalogue.Filter{Disabled: true}))
		if err != nil || json.Unmarshal(list, &page) != nil || len(page) < 20 {
			t.Fatalf("%s, %v", list, err)
		}
		return string(list), page
	}
	write := func(e entry) {
		t.Helper()
		if err := tools.SetToolRule(e.Name, policy.ToolRule{Enabled: &e.Enabled, AutoExecute: e.AutoExecute}); err != nil {
			t.Error(err)
		}
		if err := tools.Tools().Configure(e.Name, e.values()); err != nil {
			t.Error(err)
		}
	}
	before, page := read()
	for _, e := range page {
		write(e)
	}
	if after, _ := read(); after != before {
		t.Errorf("after writing back:\n%s\nbefore:\n%s", after, before)
	}
	changed := 0
	for i := range page {
		e := &page[i]
		e.Enabled, e.AutoExecute = !e.Enabled, !e.AutoExecute
		for j := range e.Settings {
			for _, value := range e.Settings[j].Values {
				if value != e.Settings[j].Value {
					e.Settings[j].Value = value
					changed++
					break
				}
			}
		}
		write(*e)
	}
	_, again := read()
	for i, e := range again {
		if want := page[i]; e.Name != want.Name || e.Enabled != want.Enabled || e.AutoExecute != want.AutoExecute || !maps.Equal(e.values(), want.values()) {
			t.Errorf("wrote %+v, read %+v", want, e)
		}
	}
	if changed == 0 {
		t.Error("no tool has a setting")
	}
	for name, values := range map[string]map[string]string{
		"bash": {"network": "perhaps"}, "read": {"network": "on"},
	} {
		if err := tools.Tools().Configure(name, values); tool.CodeOf(err) != tool.CodeInvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := tools.Tools().Configure("nothing", nil); tool.CodeOf(err) != tool.CodeNotFound {
		t.Errorf("an unknown tool: %v", err)
	}
}

// configures checks that a changed setting decides at once what the calls of the probe of
// TestSettings may access. It grants nothing.
func configures(t *testing.T, tools *registry.Registry) {
	t.Helper()
	call := func() (string, error) {
		result, err := tools.Execute(t.Context(), tool.Call{Tool: "probe", Arguments: json.RawMessage(`{"do":"talk"}`)})
		return string(result.Structured), err
	}
	if err := tools.Tools().Configure("probe", map[string]string{"engine": "fast"}); tool.CodeOf(err) != tool.CodeInvalidArgument {
		t.Errorf("without a server: %v", err)
	}
	if err := tools.Tools().Configure("PROBE", map[string]string{"engine": "fast", "server": "https://fast.example/v1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := call(); tool.CodeOf(err) != tool.CodePermissionDenied {
		t.Errorf("a permission that is not granted: %v", err)
	}
	if err := tools.Tools().Configure("probe", map[string]string{"engine": "slow", "server": ""}); err != nil {
		t.Fatal(err)
	}
	if got, err := call(); err != nil || !strings.Contains(got, `"settings":{"engine":"slow","server":""}`) {
		t.Errorf("with the first settings again: %s, %v", got, err)
	}
}
