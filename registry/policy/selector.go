package policy

import (
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/wildcard"
)

// selector is one entry that names tools.
type selector struct {
	text  string   // as written
	exact []string // tools' own names
	group string   // without "group:"
	glob  string
}

// Limits on a Config, so that a decision takes bounded time.
const (
	maxEntries    = 4096
	maxEntryBytes = 256
)

// selectors compiles entries. Entries that restrict may name a tool by an alias. Entries that
// permit calls must not, because the author of a tool could otherwise choose an alias that is
// permitted.
func (n *names) selectors(entries []string, restrict bool, at func(i int) place, p *problems) []selector {
	if len(entries) > maxEntries {
		p.add(at(maxEntries), "there are %d entries; the limit is %d; use groups or patterns", len(entries), maxEntries)
		return nil
	}
	var list []selector
	for i, entry := range entries {
		if s, ok := n.selector(entry, restrict, at(i), p); ok {
			list = append(list, s)
		}
	}
	return list
}

func (n *names) selector(entry string, restrict bool, at place, p *problems) (selector, bool) {
	s := selector{text: entry}
	name := normal(entry)
	group, isGroup := strings.CutPrefix(name, groupPrefix)
	switch {
	case name == "":
		p.add(at, "is empty; write a tool's name, group:NAME, or a pattern with *")
	case len(name) > maxEntryBytes:
		p.add(at, "is longer than %d bytes; write a shorter name or pattern", maxEntryBytes)
	case isGroup && n.groups[group]:
		s.group = group
		for _, name := range groupMembers[group] {
			s.exact = append(s.exact, sameTool(name)...)
		}
		return s, true
	case isGroup:
		p.add(at, "%q is not a group%s", entry, n.didYouMean(name))
	case strings.ContainsAny(name, "?[]{}\\"):
		p.add(at, "%q: the only pattern character is *", entry)
	case strings.Contains(name, "*"):
		s.glob = name
		if !n.anyFits(name) {
			p.warn(at, "%q matches no tool that is known now", entry)
		}
		return s, true
	default:
		s.exact = n.resolve(name, restrict, at, p)
		return s, s.exact != nil
	}
	return s, false
}

// resolve returns the own names of the tools that an entry names, or nil. An unknown name is
// treated as a tool's own name.
func (n *names) resolve(name string, restrict bool, at place, p *problems) []string {
	owners := n.alias[name]
	switch {
	case (n.own[name] || otherNames[name] != "") && restrict:
		return append(sameTool(name), owners...)
	case n.own[name] || otherNames[name] != "":
		return sameTool(name)
	case owners != nil && restrict:
		return append([]string{name}, owners...)
	case owners != nil:
		p.add(at, "%q is an alias, which the tool's author chose; write its name %s", name, strings.Join(owners, " or "))
	default:
		// The entry applies to a tool of that name that is added later.
		p.unknown(at, name, n.didYouMean(name))
		return sameTool(name)
	}
	return nil
}

func (n *names) anyFits(glob string) bool {
	for name := range n.own {
		if wildcard.Match(glob, name) {
			return true
		}
	}
	return false
}

// permits reports whether the entry names a tool by the name that it is registered under.
func (s selector) permits(t ToolFacts) bool { return s.has(t.Name, t.Groups) }

// restricts reports whether the entry names a tool by any of its names.
func (s selector) restricts(t ToolFacts) bool {
	if s.has(normal(t.Name), t.Groups) || s.has(otherNames[normal(t.Name)], nil) {
		return true
	}
	for _, alias := range t.Aliases {
		if alias = normal(alias); s.has(alias, nil) || s.has(otherNames[alias], nil) {
			return true
		}
	}
	return false
}

func (s selector) has(name string, groups []string) bool {
	return slices.Contains(s.exact, name) && name != "" ||
		s.group != "" && slices.Contains(groups, s.group) ||
		s.glob != "" && name != "" && wildcard.Match(s.glob, name)
}

// names reports whether the entry is the tool's own name and not a group or a pattern.
func (s selector) names(t ToolFacts) bool {
	return s.group == "" && s.glob == "" && s.permits(t)
}
