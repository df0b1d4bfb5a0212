package standard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// settingKeys are the settings of the probe in these tests, and the permissions that depend on
// them.
const settingKeys = `
[settings.engine]
description = "How fast it is."
values = ["slow", "fast"]
default = "slow"

[settings.server]
description = "Where the fast one is."
default = ""

[[permissions.net]]
url = "{server}"
when = { engine = "fast" }
`

// The operator chooses a tool's settings. They are passed to the tool and decide which permissions
// it gets. The arguments of a call cannot change them.
func TestSettings(t *testing.T) {
	dir := t.TempDir()
	putTool(t, filepath.Join(dir, "probe"), "tool.wasm", fmt.Sprintf(probeManifest, "probe")+settingKeys, guesttest.BuildGo(t, probe, reactorFlags...))
	open := func(t *testing.T, file string) (*registry.Registry, error) {
		t.Helper()
		c, err := config.Decode(config.File{Name: config.FileName}, []byte(file), nil)
		if err != nil {
			t.Fatal(err)
		}
		return standard.New(standard.Options{Sources: standard.Sources{NoBuiltins: true, Directories: []string{dir}}, Config: c})
	}
	const fast = "[tools.probe]\nauto_execute = true\n[tools.probe.settings]\nengine = \"fast\"\nserver = \"https://fast.example/v1\"\n"
	for _, tt := range []struct{ name, file, settings, missing string }{
		{"the defaults", "", `"settings":{"engine":"slow","server":""}`, ""},
		{"chosen, and not granted", fast, "", "net:https://fast.example/v1"},
		{"chosen and granted", fast + "[grants]\nallow = [\"net:https://fast.example/\"]", `"settings":{"engine":"fast","server":"https://fast.example/v1"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tools, err := open(t, tt.file)
			if err != nil {
				t.Fatal(err)
			}
			defer tools.Close()
			result, err := tools.Execute(t.Context(), tool.Call{Tool: "probe", Arguments: json.RawMessage(`{"do":"talk","settings":{"engine":"argument"}}`)})
			var missing []string
			var e *tool.Error
			if errors.As(err, &e) {
				missing = e.Details.Missing
			}
			if strings.Join(missing, ", ") != tt.missing || !strings.Contains(string(result.Structured), tt.settings) {
				t.Errorf("got %s, %v (missing %q); want %s", result.Structured, err, missing, tt.settings)
			}
			info, err := tools.Tools().Get("probe")
			if err != nil || len(info.Settings) != 2 || info.Settings[0].Description != "How fast it is." || !slices.Equal(info.Settings[0].Values, []string{"slow", "fast"}) {
				t.Errorf("told of the settings: %+v, %v", info.Settings, err)
			}
		})
	}
	// Changed settings take effect at the next start; Reload lists them as pending.
	file := config.File{Path: filepath.Join(t.TempDir(), config.FileName), Name: config.FileName, Named: true}
	if err := os.WriteFile(file.Path, []byte(fast), 0o600); err != nil {
		t.Fatal(err)
	}
	tools, err := open(t, "")
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	got, err := standard.NewReloader(tools, standard.Options{}, file, nil).Reload(t.Context())
	if err != nil || !slices.Equal(got.Pending, []string{"tools.probe.settings"}) {
		t.Errorf("settings in a file that was written anew: %+v, %v", got, err)
	}
	configures(t, tools)
	for _, tt := range []struct{ name, file, want string }{
		{"a value", "[tools.probe.settings]\nengine = \"warp\"", `wasmtool.toml:2: tools.probe.settings.engine: "warp" is not a valid value; write "slow" or "fast"`},
		{"a name", "\n[tools.probe.settings]\nengin = \"fast\"", "wasmtool.toml:3: tools.probe.settings.engin: the tool has no such setting; it has engine, server"},
		{"what is needed with another", "[tools.probe.settings]\nengine = \"fast\"", "wasmtool.toml:2: tools.probe.settings.server: is not valid as the URL of a network permission: it names no host"},
	} {
		t.Run("error: "+tt.name, func(t *testing.T) {
			tools, err := open(t, tt.file)
			if err == nil {
				tools.Close()
			}
			if tool.CodeOf(err) != tool.CodeUsage || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
