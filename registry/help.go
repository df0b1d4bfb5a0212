package registry

import (
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// Help is what an operator does about permissions that a tool asks for in vain.
type Help struct {
	// Grant are words to grant to the tool. They are enough only without Obstacles.
	Grant []string
	// Obstacles are what stands in the way of the others, and what to do about it.
	Obstacles []string
	// Denied are those that no grant brings.
	Denied []string
}

// Help says what would bring permissions that are missing to a tool that asks for p and is
// offered o: words, as they were printed.
func (r *Rules) Help(p capability.Permissions, o capability.Offer, missing []string) Help {
	var h Help
	for _, text := range missing {
		word, err := capability.ParseWord(text)
		if err != nil { // a word that was printed is read again
			continue
		}
		explained := capability.Explain(p, o, word)
		fix, err := capability.ParseWord(explained.Fix)
		switch {
		case err != nil:
			h.Denied = append(h.Denied, text)
			h.Obstacles = append(h.Obstacles, text+": "+explained.By)
			continue
		case slices.Contains(h.Grant, explained.Fix):
			continue
		}
		if err := r.widen(&o, fix); err != nil {
			h.Obstacles = append(h.Obstacles, err.Error())
			continue
		}
		h.Grant = append(h.Grant, explained.Fix)
	}
	return h
}

func (r *Rules) allowLines(tool string, words []string) string {
	if r.AllowLines != nil {
		return r.AllowLines(tool, words)
	}
	return policy.AllowLines(tool, words)
}

func (r *Rules) shellLines(patterns []string) string {
	if r.ShellLines != nil {
		return r.ShellLines(patterns)
	}
	return policy.TableLines("shell", "", policy.ListLine("allow", patterns))
}
