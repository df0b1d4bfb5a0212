package manifests

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Setting is what an operator can choose for a tool. It reaches the tool in every call.
type Setting struct {
	// Name is a word in the grammar of Manifest.Name.
	Name string
	// Description is for the operator. Never empty.
	Description string
	// Values are those that there are; empty means any text on one line.
	Values []string
	// Value is the one that holds: the author's default, until Configure sets another. At
	// most MaxSettingBytes, and it may be empty.
	Value string
}

// Bounds of settings.
const (
	// MaxSettings is how many settings a tool may have.
	MaxSettings = 32
	// MaxSettingBytes is the longest value.
	MaxSettingBytes = 4096
)

// SettingError is a value that a tool does not take for one of its settings.
type SettingError struct {
	// Name is the setting, Problem what is wrong with it and what to write instead.
	Name, Problem string
}

// Error names the setting and the fix.
func (e *SettingError) Error() string { return e.Name + ": " + e.Problem }

// Configure returns a manifest of the tool with other values of its settings, by their
// names, and with the requests that it asks for with these; m stays as it is. The error is
// a *SettingError for the first name, in the order of the alphabet, that is no setting of the
// tool or has a value that it does not take.
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
	asks, _, fault := resolve(m.asks, configured.Settings)
	if fault != nil {
		return nil, &SettingError{fault.setting, fault.problem}
	}
	configured.Permissions.Net = asks
	if err := configured.Permissions.Validate(); err != nil {
		return nil, &SettingError{slices.Sorted(maps.Keys(values))[0], "makes the tool ask for what cannot be: " + err.Error()}
	}
	return &configured, nil
}

// settingIn returns the setting of a name, or nil.
func settingIn(settings []Setting, name string) *Setting {
	i := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &settings[i]
}

// SettingValues returns the values that hold, by name; nil for a tool without settings.
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

// refuses says what is wrong with a value; "" when nothing is.
func (s Setting) refuses(value string) string {
	found, hides := plaintext.First(value, plaintext.Line)
	switch {
	case len(value) > MaxSettingBytes:
		return tooLong(value, MaxSettingBytes).Error()
	case hides:
		return "holds " + found.String() + "; leave it out"
	case len(s.Values) > 0 && !slices.Contains(s.Values, value):
		return stricttoml.Quote(value) + " is not a valid value; write " + strings.Join(each.Of(s.Values, strconv.Quote), " or ")
	}
	return ""
}

// ask is a request that a tool asks for, perhaps with some settings only.
type ask struct {
	net capability.Net
	// when has values that settings must have; none means always.
	when map[string]string
	// from is the setting that is the URL; "" for one that is always the same.
	from string
}

// askFault is a setting with which an ask makes no sense.
type askFault struct {
	index            int // of the ask
	setting, problem string
}

// resolve returns the asks that stand with these settings, and the index of each among all.
func resolve(asks []ask, settings []Setting) (list []capability.Net, origin []int, fault *askFault) {
	value := func(name string) string { return settingIn(settings, name).Value }
	for i, a := range asks {
		stands := true
		for name, want := range a.when {
			stands = stands && value(name) == want
		}
		if !stands {
			continue
		}
		if a.from != "" {
			url, err := capability.ParseURLPattern(value(a.from))
			if err == nil && url.IsAny() && len(a.net.Secrets) > 0 {
				err = fmt.Errorf(`a secret cannot go to "any" host; write the URL of one`)
			}
			if err != nil {
				return nil, nil, &askFault{i, a.from, "is the URL that the tool asks for: " + err.Error()}
			}
			a.net.URL = url
		}
		list, origin = append(list, a.net), append(origin, i)
	}
	return list, origin, nil
}

// settingURL is a URL that is the value of a setting.
var settingURL = regexp.MustCompile(`^\{([^{}]*)\}$`)

// url reads a URL, or the setting that it is.
func (c *checker) url(a *ask) stricttoml.Reader {
	return func(at stricttoml.Place, n *stricttoml.Node) {
		if match := settingURL.FindStringSubmatch(n.Text); match != nil {
			a.from = match[1]
			return
		}
		stricttoml.ReadString(c.Checker, &a.net.URL, capability.ParseURLPattern)(at, n)
	}
}

// settingKey reads one setting.
func (c *checker) settingKey(m *Manifest) func(name string) stricttoml.Key {
	return func(name string) stricttoml.Key {
		s := Setting{Name: name}
		return stricttoml.Key{
			Path: "settings.NAME", Want: stricttoml.WantTable,
			Members: func() []stricttoml.Key {
				return []stricttoml.Key{
					{Name: "description", Want: stricttoml.WantString, Required: "a description: what it chooses, for the operator", Read: stricttoml.ReadString(c.Checker, &s.Description, parseDescription)},
					{Name: "default", Want: stricttoml.WantString, Required: `the value that holds until the operator chooses another, such as default = ""`, Read: func(_ stricttoml.Place, n *stricttoml.Node) { s.Value = n.Text }},
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

// settings checks what concerns settings together with other keys, and works out what the
// tool asks for with their defaults. It returns the index in the file of each ask.
func (c *checker) settings(m *Manifest) (origin []int) {
	if len(m.Settings) > MaxSettings {
		c.Errorf(c.At("settings"), "has %d settings; the limit is %d", len(m.Settings), MaxSettings)
	}
	if len(m.Settings) > 0 && (m.REST != nil || m.Module.ABI == ABIExtism) {
		c.Errorf(c.At("settings"), "are for programs of the forms command and reactor, which can ask for them; leave it out")
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
	if m.REST != nil {
		return nil // what a request asks for is not chosen
	}
	asks, origin, fault := resolve(m.asks, m.Settings)
	if fault != nil {
		c.Errorf(c.At("permissions", "net", strconv.Itoa(fault.index), "url"), "the default of the setting %s %s", fault.setting, fault.problem)
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
