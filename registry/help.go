package registry

import (
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// Help is what an operator does about permissions that a tool asks for in vain.
type Help struct {
	// Grant are words to grant to the tool. They are enough only without Obstacles.
	Grant []capability.Word
	// Obstacles are what stands in the way of the others, and what to do about it.
	Obstacles []string
	// Denied are those that no grant brings.
	Denied []capability.Word
}

// Help says what would bring missing permissions to a tool that asks for p and is
// offered o.
func (r *Rules) Help(p capability.Permissions, o capability.Offer, missing []capability.Word) Help {
	var h Help
	for _, word := range missing {
		explained := capability.Explain(p, o, word)
		switch {
		case explained.Fix.IsZero():
			h.Denied = append(h.Denied, word)
			h.Obstacles = append(h.Obstacles, word.String()+": "+explained.By)
			continue
		case slices.Contains(h.Grant, explained.Fix):
			continue
		}
		if err := r.widen(&o, explained.Fix); err != nil {
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
