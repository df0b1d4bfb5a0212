package standard

import (
	"errors"
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// configured is a manifest that was read from a folder, with the values of the operator's file for
// the settings of the tool; err is why it could not be read.
func configured(c *config.Config, dir string, m *manifests.Manifest, err error) (*manifests.Manifest, error) {
	if err != nil {
		return nil, invalidManifest(dir, err)
	}
	chosen := c.Settings(m.Name)
	withValues, err := m.Configure(valuesOf(chosen))
	var fault *manifests.SettingError
	if errors.As(err, &fault) {
		return nil, unfit(chosen, m.Name, fault)
	}
	return withValues, err
}

// unfit is the error for a setting that its tool does not take.
func unfit(chosen map[string]config.Setting, name string, fault *manifests.SettingError) error {
	where, ok := chosen[fault.Name]
	if !ok { // it is at its default, with which another one does not go
		where = chosen[slices.Sorted(maps.Keys(chosen))[0]]
	}
	err := where.Unfit(name, fault)
	return (&tool.Error{Code: tool.CodeUsage, Message: err.Error(), Recoverable: true}).WithCause(err)
}

// settingsInVain is the error for settings of a tool that has none, such as one in Go.
func settingsInVain(c *config.Config, spec tool.Spec) error {
	chosen := c.Settings(spec.Name)
	if len(chosen) == 0 || len(spec.Settings) > 0 {
		return nil
	}
	first := slices.Sorted(maps.Keys(chosen))[0]
	return unfit(chosen, spec.Name, &manifests.SettingError{Name: first, Problem: "the tool has no settings; leave it out"})
}

// valuesOf are the values of settings without their places.
func valuesOf(chosen map[string]config.Setting) map[string]string {
	values := make(map[string]string, len(chosen))
	for name, s := range chosen {
		values[name] = s.Value
	}
	return values
}

// pendingSettings are the tools whose settings differ. What a tool asks for follows from
// them, and its approvals rest on that, so they hold from the next start.
func pendingSettings(started, read *config.Config) []string {
	var sections []string
	names := slices.Concat(started.ToolsWithSettings(), read.ToolsWithSettings())
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if !maps.Equal(valuesOf(started.Settings(name)), valuesOf(read.Settings(name))) {
			sections = append(sections, "tools."+name+".settings")
		}
	}
	return sections
}
