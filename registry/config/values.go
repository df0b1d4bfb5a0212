package config

import (
	"encoding/json"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Value is a setting that holds: a key of the file, or a key that the file leaves out and that has
// a default.
type Value struct {
	// Key is the dotted path, such as "limits.memory" or "policy.rules[0].effect".
	Key string `json:"key"`
	// Value is the JSON of the value; nil if Hidden is set, or if Default is not a value.
	Value json.RawMessage `json:"value,omitempty"`
	// Hidden means that the value is not shown, because people put passwords into such values.
	Hidden bool `json:"hidden,omitempty"`
	// Default describes what holds without the key, such as "none"; "" for a key of the file.
	Default string `json:"default,omitempty"`
	// Source is the position of the value as "file:line", or "default".
	Source string `json:"source"`
}

// Values returns what holds with c, in the order of the documentation: the values in the file, and
// the defaults of the keys that the file leaves out. It leaves out the defaults of keys below a
// name, such as the keys of one tool, and in rules.
func Values(c *Config) []Value {
	l := lister{c: c, keys: stricttoml.New("", nil, stricttoml.Format{})}
	if c.text != nil {
		l.keys = c.text
	}
	l.table("", stricttoml.Place{}, l.keys.Root(), formatKeys())
	return l.values
}

// lister collects the Values of a file.
type lister struct {
	c      *Config
	keys   *stricttoml.Checker
	values []Value
}

// table adds the keys of a table, which is nil if the file does not have it. path is the path of
// the table with NAME in place of names.
func (l *lister) table(path string, at stricttoml.Place, n *stricttoml.Node, keys []stricttoml.Key) {
	for _, k := range keys {
		path := stricttoml.Join(path, k.Name)
		if value := n.Get(k.Name); value != nil {
			l.value(path, at.Member(k.Name, value.Offset), value, k)
		} else if text, ok := defaults[path]; ok {
			v := Value{Key: path, Default: text, Source: "default"}
			if json.Valid([]byte(text)) {
				v.Value = json.RawMessage(text)
			}
			l.values = append(l.values, v)
		} else if k.Want == stricttoml.WantTable {
			l.table(path, at.Member(k.Name, 0), nil, k.Members())
		}
	}
}

// value adds a value of the file, or all values below it.
func (l *lister) value(path string, at stricttoml.Place, n *stricttoml.Node, k stricttoml.Key) {
	if n.Kind == stricttoml.KindTable && k.Or != nil {
		k = *k.Or
	}
	switch k.Want {
	case stricttoml.WantTable:
		l.table(path, at, n, k.Members())
	case stricttoml.WantTables:
		for i, item := range n.Items {
			l.table(path, at.Item(i, item.Offset), item, k.Members())
		}
	case stricttoml.WantMap:
		for _, m := range n.Members {
			l.value(stricttoml.Join(path, stricttoml.AnyName), at.Member(m.Name, m.Value.Offset), m.Value, k.Entry(m.Name))
		}
	default:
		v := Value{Key: at.Key, Hidden: hidden[path] && n.Kind != stricttoml.KindBoolean, Source: (&reader{Checker: l.keys, name: l.c.name}).source(at)}
		if !v.Hidden {
			v.Value, _ = l.keys.JSON(at, n) // cannot fail: the file was accepted
		}
		l.values = append(l.values, v)
	}
}

// hidden has the keys whose values may contain passwords.
var hidden = map[string]bool{
	"env.NAME": true, "tenants.NAME.env.NAME": true, "secrets.NAME.command": true, "servers.NAME.command": true, "servers.NAME.url": true, "agent.base_url": true,
}

// defaults describes the values of keys that the file leaves out, as docs/operator.md does.
var defaults = map[string]string{
	"tool_directories":             "empty",
	"grants.allow":                 "empty",
	"grants.deny":                  "empty",
	"limits.memory":                `"256MiB"`,
	"limits.fuel":                  "none",
	"limits.open_files":            "none",
	"limits.http_requests":         "none",
	"limits.timeout":               `"1h"`,
	"limits.total_memory":          `"4GiB"`,
	"limits.idle_memory":           `"512MiB"`,
	"limits.calls":                 "16 for each processor, at least 64",
	"limits.waiting":               "16 times calls",
	"policy.profile":               `"full"`,
	"policy.allow":                 "every tool",
	"policy.deny":                  "empty",
	"policy.enable_tool_calls":     "true",
	"policy.ask_outside":           "false",
	"policy.rules":                 "empty",
	"shell.allow":                  "empty",
	"shell.ask":                    "empty",
	"shell.deny":                   "empty",
	"shell.confirm_dangerous":      "true",
	"agent":                        "no model",
	"agent.base_url":               "the provider's own address",
	"agent.private":                "false",
	"agent.secret":                 "none",
	"agent.max_turns":              "50",
	"agent.max_tool_calls":         "100",
	"agent.max_tokens":             "none",
	"agent.max_output_tokens":      "16384",
	"agent.timeout":                `"10m"`,
	"agent.auto_confirm_dangerous": "false",
	"agent.max_auto_confirm":       "20",
	"agent.allow_task":             "false",
	"agent.allow_question":         "false",
	"audit":                        "no record",
	"audit.max_size":               `"64MiB"`,
	"audit.keep":                   "8",
	"revoked.digests":              "empty",
}
