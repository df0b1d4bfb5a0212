package registry

import (
	"slices"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// toolView are the names of the tools that a caller sees: none that is switched off or that a
// policy takes away. It walks over all tools, so that it is for calls that ask.
func (r *Registry) toolView(o Overlay) tool.View {
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := []string{}
	for name, e := range r.entries {
		hidden := r.disabled(e)
		if !hidden && o.Policy != nil {
			visible, _ := o.Policy.Visible(factsOf(e.spec))
			hidden = !visible
		}
		if !hidden {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	shown := min(len(names), tool.MaxView)
	return tool.View{Names: slices.Clone(names[:shown]), More: len(names) - shown}
}
