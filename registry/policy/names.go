package policy

import (
	"maps"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/suggest"
)

// names are the names that entries can refer to.
type names struct {
	own    map[string]bool     // tools by their own names, loaded or not
	alias  map[string][]string // maps an alias that authors chose to the tools' own names
	groups map[string]bool
}

func newNames(k Known) *names {
	n := &names{own: make(map[string]bool), alias: make(map[string][]string), groups: make(map[string]bool)}
	for group, members := range groupMembers {
		n.groups[group] = true
		for _, name := range members {
			n.own[name] = true
		}
	}
	for _, p := range profileEntries {
		for _, entry := range p.entries {
			if !strings.HasPrefix(entry, groupPrefix) {
				n.own[entry] = true
			}
		}
	}
	for _, name := range k.NotLoaded {
		n.own[normal(name)] = true
	}
	for _, group := range k.Groups {
		n.groups[group] = true
	}
	for _, t := range k.Tools {
		n.own[normal(t.Name)] = true
		for _, alias := range t.Aliases {
			alias = normal(alias)
			n.alias[alias] = append(n.alias[alias], normal(t.Name))
		}
		for _, group := range t.Groups {
			n.groups[group] = true
		}
	}
	return n
}

// normal returns the form in which names are compared.
func normal(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// didYouMean returns the end of a message that suggests the nearest name, or "".
func (n *names) didYouMean(entry string) string {
	candidates := slices.Sorted(maps.Keys(n.own))
	candidates = slices.AppendSeq(candidates, maps.Keys(n.alias))
	candidates = slices.AppendSeq(candidates, maps.Keys(otherNames))
	for _, group := range slices.Sorted(maps.Keys(n.groups)) {
		candidates = append(candidates, groupPrefix+group)
	}
	// This suggests a missing "group:". The function named meant only suggests similar names.
	if n.groups[entry] {
		return "; did you mean " + groupPrefix + entry + "?"
	}
	return meant(entry, candidates)
}

func meant(word string, candidates []string) string {
	slices.Sort(candidates)
	if near := suggest.Nearest(word, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
