package rewrite

import "slices"

// callCosts is what the call graph says about checks and prices.
//
// A function checks its fuel on entry when calls can lead from it back to it, or
// when it and what it calls may do more work than maxUnchecked; all others are
// paid for by their callers. Only calls count for this that a function can reach
// from its entry without passing a loop head, because loop heads check anyway.
type callCosts struct {
	// check is by defined function.
	check []bool
	// price is by node: what a caller pays for the work before the next check.
	price []uint64
	// group is by node: nodes are in the same group when calls of any kind lead
	// from one to the other and back.
	group []int32
}

// maxUnchecked is how much work a call may start before the first check, in
// units of fuel.
const maxUnchecked = 100

// graph is the calls as nodes and edges. The nodes are the functions, then one
// for every type: an indirect call leads to its type, and from there to all the
// functions of that type that may be called indirectly.
type graph struct {
	m *module
	s *scan
	// alias maps a type to the first one that may be equal to it.
	alias []uint32
	// targets are the functions behind a type that is its own alias.
	targets [][]uint32
	// host says by type whether an imported function may be called by it. It is set
	// for types that are their own alias.
	host []bool
}

func newGraph(m *module, s *scan) *graph {
	g := &graph{m: m, s: s, alias: aliases(m.types), targets: make([][]uint32, len(m.types)), host: make([]bool, len(m.types))}
	if m.foreignReferences() {
		for t := range g.host {
			g.host[t] = true
		}
	}
	for f, taken := range s.taken {
		if taken {
			t := g.alias[m.funcs[f]]
			g.targets[t] = append(g.targets[t], uint32(f))
			g.host[t] = g.host[t] || f < m.importedFuncs
		}
	}
	for _, list := range [][]uint32{s.edges, s.calls} {
		for i, n := range list {
			if int(n) >= len(m.funcs) {
				list[i] = g.typeNode(n - uint32(len(m.funcs)))
			}
		}
	}
	return g
}

// foreignReferences reports whether the module may get references to functions
// that are not its own.
func (m *module) foreignReferences() bool {
	if m.importedTables > 0 {
		return true
	}
	for _, g := range m.globals[:m.importedGlobals] {
		if g.typ.isRef() {
			return true
		}
	}
	for _, t := range m.funcs[:m.importedFuncs] {
		if slices.ContainsFunc(m.types[t].results, valueType.isRef) {
			return true
		}
	}
	return false
}

// typeNode is the node for indirect calls of type t.
func (g *graph) typeNode(t uint32) uint32 { return uint32(len(g.m.funcs)) + g.alias[t] }

// aliases maps every type to the first one that an engine may take for the same.
// It looks at no more than the kind of each value: taking different types for the
// same adds edges to the graph, and that is safe.
func aliases(types []funcType) []uint32 {
	alias := make([]uint32, len(types))
	first := make(map[string]uint32, len(types))
	var key []byte
	for i, t := range types {
		key = appendKinds(key[:0], t.params)
		key = appendKinds(append(key, 0), t.results)
		if a, known := first[string(key)]; known {
			alias[i] = a
			continue
		}
		alias[i] = uint32(i)
		first[string(key)] = uint32(i)
	}
	return alias
}

func appendKinds(key []byte, types []valueType) []byte {
	for _, t := range types {
		key = append(key, byte(t))
	}
	return key
}

func (g *graph) nodes() int { return len(g.m.funcs) + len(g.m.types) }

// edges returns the nodes that calls lead to from node n without passing a loop
// head in it.
func (g *graph) edges(n int) []uint32 {
	return g.next(n, g.s.edges, func(f *funcScan) int { return f.edges })
}

// calls returns the nodes that all calls lead to from node n.
func (g *graph) calls(n int) []uint32 {
	return g.next(n, g.s.calls, func(f *funcScan) int { return f.calls })
}

func (g *graph) next(n int, list []uint32, end func(*funcScan) int) []uint32 {
	if funcs := len(g.m.funcs); n >= funcs {
		return g.targets[n-funcs]
	}
	i := n - g.m.importedFuncs
	if i < 0 {
		return nil
	}
	from := 0
	if i > 0 {
		from = end(&g.s.funcs[i-1])
	}
	return list[from:end(&g.s.funcs[i])]
}

// costs works out what to check and what to charge.
func (g *graph) costs() *callCosts {
	c := &callCosts{
		check: make([]bool, len(g.m.codes)),
		price: make([]uint64, g.nodes()),
		group: make([]int32, g.nodes()),
	}
	groups(g.nodes(), g.edges, func(group []int32) { g.finish(c, group) })
	id := int32(0)
	groups(g.nodes(), g.calls, func(group []int32) {
		id++
		for _, n := range group {
			c.group[n] = id
		}
	})
	return c
}

// finish decides about a group of nodes that lead to each other. All others that
// they lead to have been decided.
func (g *graph) finish(c *callCosts, group []int32) {
	if n := int(group[0]); len(group) == 1 && !slices.Contains(g.edges(n), uint32(n)) {
		g.finishOne(c, n)
		return
	}
	for _, n := range group {
		if i := int(n) - g.m.importedFuncs; i >= 0 && int(n) < len(g.m.funcs) {
			c.check[i] = true
		}
	}
	for _, n := range group {
		if int(n) >= len(g.m.funcs) {
			c.price[n] = g.highest(c, int(n))
		}
	}
}

func (g *graph) finishOne(c *callCosts, n int) {
	i := n - g.m.importedFuncs
	switch {
	case i < 0 && !g.m.leaves(uint32(n)):
		c.price[n] = costQuick
	case i < 0:
		c.price[n] = costHost
	case n >= len(g.m.funcs):
		c.price[n] = g.highest(c, n)
	default:
		price := g.s.funcs[i].cost
		for _, to := range g.edges(n) {
			price = addCost(price, c.price[to])
		}
		if c.check[i] = price > maxUnchecked; !c.check[i] {
			c.price[n] = price
		}
	}
}

// highest returns the highest price behind a type.
func (g *graph) highest(c *callCosts, n int) uint64 {
	var price uint64
	for _, to := range g.edges(n) {
		price = max(price, c.price[to])
	}
	return price
}
