package registry

import (
	"github.com/wasmtool/wasmtool/registry/internal/searchindex"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// textsOf are the texts of a tool that Search looks at.
func textsOf(s tool.Spec) map[searchindex.Field][]string {
	names := append([]string{s.Name}, s.Aliases...)
	return map[searchindex.Field][]string{
		searchindex.Name:        names,
		searchindex.PartOfName:  names,
		searchindex.Tag:         append([]string{s.Category}, s.Tags...),
		searchindex.Title:       {s.Title},
		searchindex.Description: {s.Description},
	}
}

// Search returns the enabled tools that match every word of a query, the best first
// and those equally good by name. A word matches, in this order of weight, a name or
// alias, a tag or the category, the title, the description; whole words and
// beginnings of words weigh more than parts. A word that matches nothing may have a slip
// or two. Case does not count. An empty query matches nothing.
func (r *Registry) Search(query string) []Info { return r.SearchBest(query, 0) }

// SearchBest is Search for the best of them, at most so many; 0 and less mean all.
func (r *Registry) SearchBest(query string, most int) []Info {
	infos := []Info{}
	r.mu.RLock()
	defer r.mu.RUnlock()
	for hit := range r.index.Find(query) {
		if most > 0 && len(infos) == most {
			break
		}
		if e := r.entries[hit.Name]; !r.disabled(e) {
			infos = append(infos, r.info(e))
		}
	}
	return infos
}
