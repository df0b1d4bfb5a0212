package manifests

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Setting is a value that an operator can choose for a tool. Each call passes it to the tool.
type Setting struct {
	// Name follows the grammar of Manifest.Name.
	Name string
	// Description is for the operator. It is never empty.
	Description string
	// Values are the allowed values; empty means any string on one line.
	Values []string
	// Value is the current value: the author's default, until Configure sets another. It is at most
	// MaxSettingBytes long, and may be empty.
	Value string
}

// Bounds of settings.
const (
	// MaxSettings limits the settings of a tool.
	MaxSettings = 32
	// MaxSettingBytes limits the value of a setting, in bytes.
	MaxSettingBytes = 4096
)

// SettingError reports an unknown setting, or a value that is not allowed.
type SettingError struct {
	// Name is the setting. Problem says what is wrong with it and what to write instead.
	Name, Problem string
}

// Error returns the name and the problem.
func (e *SettingError) Error() string { return e.Name + ": " + e.Problem }

// Configure returns a copy of the manifest with the given values of settings, by name. The copy has
// the network permissions that result from these values. Configure does not change m. If a name is
// not a setting of the tool, or a value is not allowed, the error is a *SettingError. With several
// such names, the error is for the alphabetically first.
func (m *Manifest) Configure(values map[string]string) (*Manifest, error) {
	if len(values) == 0 {
		return m, nil
	}
	configured := *m
	configured.Settings = slices.Clone(m.Settings)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		s := settingIn(configured.Settings, name)
		if s == nil {
			return nil, &SettingError{name, "the tool has no such setting; " + m.settingsThereAre()}
		}
		if problem := s.refuses(values[name]); problem != "" {
			return nil, &SettingError{name, problem}
		}
		s.Value = values[name]
	}
	asks, _, invalid := resolve(m.asks, configured.Settings)
	if invalid != nil {
		return nil, &SettingError{invalid.setting, invalid.problem}
	}
	configured.Permissions.Net = asks
	if err := configured.Permissions.Validate(); err != nil {
		return nil, &SettingError{slices.Sorted(maps.Keys(values))[0], "makes the tool ask for invalid permissions: " + err.Error()}
	}
	return &configured, nil
}

// settingIn returns the setting of that name, or nil.
func settingIn(settings []Setting, name string) *Setting {
	i := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &settings[i]
}

// SettingValues returns the current values by name, or nil for a tool without settings.
func (m *Manifest) SettingValues() map[string]string {
	if len(m.Settings) == 0 {
		return nil
	}
	values := make(map[string]string, len(m.Settings))
	for _, s := range m.Settings {
		values[s.Name] = s.Value
	}
	return values
}

func (m *Manifest) settingsThereAre() string {
	if len(m.Settings) == 0 {
		return "it has none"
	}
	return "it has " + strings.Join(each.Of(m.Settings, func(s Setting) string { return s.Name }), ", ")
}

// refuses returns what is wrong with a value, or "".
func (s Setting) refuses(value string) string {
	found, hides := plaintext.First(value, plaintext.Line)
	switch {
	case len(value) > MaxSettingBytes:
		return tooLong(value, MaxSettingBytes).Error()
	case hides:
		return "contains " + found.String() + "; leave it out"
	case len(s.Values) > 0 && !slices.Contains(s.Values, value):
		return stricttoml.Quote(value) + " is not a valid value; write " + strings.Join(each.Of(s.Values, strconv.Quote), " or ")
	}
	return ""
}

// ask is an entry of permissions.net. It applies always, or only with some values of the settings.
type ask struct {
	net capability.Net
	// when has the values that certain settings must have for the entry to apply; empty means that
	// it always applies.
	when map[string]string
	// from is the setting whose value is the URL; "" means that the URL is in net.
	from string
}

// askError is the error for a setting whose value is not valid as the URL of an ask.
type askError struct {
	index            int // the index of the ask
	setting, problem string
}

// resolve returns the network permissions that apply with these settings. origin has the index in
// asks for each permission.
func resolve(asks []ask, settings []Setting) (list []capability.Net, origin []int, invalid *askError) {
	value := func(name string) string { return settingIn(settings, name).Value }
	for i, a := range asks {
		applies := true
		for name, want := range a.when {
			applies = applies && value(name) == want
		}
		if !applies {
			continue
		}
		if a.from != "" {
			url, err := capability.ParseURLPattern(value(a.from))
			if err == nil && url.IsAny() && len(a.net.Secrets) > 0 {
				err = fmt.Errorf(`a secret cannot be sent to "any" host; write the URL of one host`)
			}
			if err != nil {
				return nil, nil, &askError{i, a.from, "is not valid as the URL of a network permission: " + err.Error()}
			}
			a.net.URL = url
		}
		list, origin = append(list, a.net), append(origin, i)
	}
	return list, origin, nil
}

// settingURL matches a reference to a setting whose value is a URL.
var settingURL = lazyregexp.New(`^\{([^{}]*)\}$`)

// url reads a URL, or a reference to a setting.
func (c *checker) url(a *ask) stricttoml.Reader {
	return func(at stricttoml.Place, n *stricttoml.Node) {
		if match := settingURL.Regexp().FindStringSubmatch(n.Text); match != nil {
			a.from = match[1]
			return
		}
		stricttoml.ReadString(c.Checker, &a.net.URL, capability.ParseURLPattern)(at, n)
	}
}

// settingKey returns the format of one setting. Its reader appends the setting to m.Settings.
func (c *checker) settingKey(m *Manifest) func(name string) stricttoml.Key {
	return func(name string) stricttoml.Key {
		s := Setting{Name: name}
		return stricttoml.Key{
			Path: "settings.NAME", Want: stricttoml.WantTable,
			Members: func() []stricttoml.Key {
				return []stricttoml.Key{
					{Name: "description", Want: stricttoml.WantString, Required: "a description for the operator: what the setting chooses", Read: stricttoml.ReadString(c.Checker, &s.Description, parseDescription)},
					{Name: "default", Want: stricttoml.WantString, Required: `the value until the operator chooses another, such as default = ""`, Read: func(_ stricttoml.Place, n *stricttoml.Node) { s.Value = n.Text }},
					{Name: "values", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(c.Checker, &s.Values, func(text string) (string, error) { return text, nil })},
				}
			},
			Read: func(at stricttoml.Place, n *stricttoml.Node) {
				m.Settings = append(m.Settings, s)
				if c.HasError(at) {
					return
				}
				if problem := s.refuses(s.Value); problem != "" {
					c.Errorf(n.Locate(at, "default"), "%s", problem)
				}
			},
		}
	}
}

func checkSettingName(name string) error {
	_, err := parseWord(name)
	return err
}

// settings checks the rules that involve settings and other keys, and sets the network permissions
// that apply with the default settings. It returns the index of each of these permissions in the
// file.
func (c *checker) settings(m *Manifest) (origin []int) {
	if len(m.Settings) > MaxSettings {
		c.Errorf(c.At("settings"), "has %d settings; the limit is %d", len(m.Settings), MaxSettings)
	}
	if len(m.Settings) > 0 && (m.REST != nil || m.Module.ABI == ABIExtism) {
		c.Errorf(c.At("settings"), "only programs with the ABI command or reactor can read settings; remove [settings]")
	}
	slices.SortFunc(m.Settings, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	for i, a := range m.asks {
		at := func(steps ...string) stricttoml.Place {
			return c.At(append([]string{"permissions", "net", strconv.Itoa(i)}, steps...)...)
		}
		if problem := m.unknownSetting(a.from); a.from != "" && problem != "" {
			c.Errorf(at("url"), "%s", problem)
		}
		for _, name := range slices.Sorted(maps.Keys(a.when)) {
			problem := m.unknownSetting(name)
			if problem == "" {
				problem = settingIn(m.Settings, name).refuses(a.when[name])
			}
			if problem != "" {
				c.Errorf(at("when", name), "%s", problem)
			}
		}
	}
	if c.HasError(c.At("permissions", "net")) || c.HasError(c.At("settings")) {
		return nil
	}
	if m.REST != nil && !m.REST.Varies() {
		return nil // the request determines the permissions
	}
	asks, origin, invalid := resolve(m.asks, m.Settings)
	if invalid != nil {
		c.Errorf(c.At("permissions", "net", strconv.Itoa(invalid.index), "url"), "the default of the setting %s %s", invalid.setting, invalid.problem)
		return nil
	}
	m.Permissions.Net = asks
	return origin
}

func (m *Manifest) unknownSetting(name string) string {
	if settingIn(m.Settings, name) != nil {
		return ""
	}
	return stricttoml.Quote(name) + " is not a setting of the tool; " + m.settingsThereAre()
}
