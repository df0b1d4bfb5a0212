package rewrite

import "slices"

// markQuick notes which imported functions are quick.
func (m *module) markQuick(names []ImportName) {
	m.quick = make([]bool, m.importedFuncs)
	for _, d := range m.imports {
		if d.kind == ExternFunc {
			m.quick[d.index] = slices.Contains(names, ImportName{d.module, d.name})
		}
	}
}

// leaves reports whether a call of function f leaves for the host, which is asked before:
// it is imported, and not quick.
func (m *module) leaves(f uint32) bool {
	return int(f) < m.importedFuncs && (m.quick == nil || !m.quick[f])
}
