package standard

import (
	"errors"
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// configured applies the operator's values for the settings of a tool to its manifest m. err is the
// error of reading the manifest.
func configured(c *config.Config, dir string, m *manifests.Manifest, err error) (*manifests.Manifest, error) {
	if err != nil {
		return nil, invalidManifest(dir, err)
	}
	chosen := c.Settings(m.Name)
	withValues, err := m.Configure(valuesOf(chosen))
	if invalid, ok := errors.AsType[*manifests.SettingError](err); ok {
		return nil, invalidSetting(chosen, m.Name, invalid)
	}
	return withValues, err
}

// invalidSetting returns the error for a setting that a tool does not accept.
func invalidSetting(chosen map[string]config.Setting, name string, e *manifests.SettingError) error {
	where, ok := chosen[e.Name]
	if !ok { // the default of a setting conflicts with a setting that was chosen
		where = chosen[slices.Sorted(maps.Keys(chosen))[0]]
	}
	err := where.Unfit(name, e)
	return (&tool.Error{Code: tool.CodeUsage, Message: err.Error(), Recoverable: true}).WithCause(err)
}

// unknownSettings returns the error for settings of a tool that declares none, such as a native
// tool.
func unknownSettings(c *config.Config, spec tool.Spec) error {
	chosen := c.Settings(spec.Name)
	if len(chosen) == 0 || len(spec.Settings) > 0 {
		return nil
	}
	first := slices.Sorted(maps.Keys(chosen))[0]
	return invalidSetting(chosen, spec.Name, &manifests.SettingError{Name: first, Problem: "the tool has no settings; remove the key"})
}

// valuesOf returns the values of settings without their positions in the file.
func valuesOf(chosen map[string]config.Setting) map[string]string {
	values := make(map[string]string, len(chosen))
	for name, s := range chosen {
		values[name] = s.Value
	}
	return values
}

// pendingSettings returns the tools whose settings differ. They take effect only after a restart,
// because the permissions that a tool asks for, and the approvals of them, depend on its settings.
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
