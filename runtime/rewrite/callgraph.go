package rewrite

import "slices"

// callCosts is what the call graph determines about checks and prices.
//
// A function checks its fuel on entry in two cases: if it can call itself, directly or through
// other functions, or if it and its callees may do more work than maxUnchecked. The callers pay for
// all other functions. Calls that a function can reach only through a loop head are not considered,
// because loop heads check the fuel anyway.
type callCosts struct {
	// check is indexed by defined function.
	check []bool
	// price, by node, is what a caller pays for the work before the next check.
	price []uint64
	// group is indexed by node. Nodes are in the same group if calls of any kind lead from one to
	// the other and back.
	group []int32
}

// maxUnchecked is how much work a call may start before the first check, in units of fuel.
const maxUnchecked = 100

// graph is the call graph. Its nodes are the functions, followed by one node for every type. An
// indirect call leads to the node of its type, and from there to all functions of that type that
// may be called indirectly.
type graph struct {
	m *module
	s *scan
	// alias maps a type to the first type that may be equal to it. That type represents all types
	// that may be equal.
	alias []uint32
	// targets lists the functions of a type, by the index of the type. Only a type that represents
	// equal types has an entry.
	targets [][]uint32
	// host is indexed by type, and reports whether a call of a function of that type may reach an
	// imported function. Only a type that represents equal types has a complete entry.
	host []bool
}

func newGraph(m *module, s *scan) *graph {
	g := &graph{
		m: m, s: s, alias: aliases(m.types), targets: make([][]uint32, len(m.types)),
		host: slices.Repeat([]bool{m.foreignReferences()}, len(m.types)),
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

// foreignReferences reports whether the module may get references to functions that it did not
// declare.
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

// typeNode returns the node for indirect calls of type t.
func (g *graph) typeNode(t uint32) uint32 { return uint32(len(g.m.funcs)) + g.alias[t] }

// aliases maps every type to the first type that an engine may treat as equal. It compares only the
// kinds of values: treating different types as equal adds edges to the graph, which is safe.
func aliases(types []funcType) []uint32 {
	alias := make([]uint32, len(types))
	first := make(map[string]uint32, len(types))
	var key []byte
	for i, t := range types {
		key = key[:0]
		for _, part := range [][]valueType{t.params, {0}, t.results} {
			for _, value := range part {
				key = append(key, byte(value))
			}
		}
		if a, known := first[string(key)]; known {
			alias[i] = a
			continue
		}
		alias[i] = uint32(i)
		first[string(key)] = uint32(i)
	}
	return alias
}

func (g *graph) nodes() int { return len(g.m.funcs) + len(g.m.types) }

// edges returns the nodes to which the calls in node n lead, without calls that follow a loop head.
func (g *graph) edges(n int) []uint32 {
	return g.next(n, g.s.edges, func(f *funcScan) int { return f.edges })
}

// calls returns the nodes to which any call leads from node n.
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
	return g.s.of(i, list, end)
}

// costs computes the checks and prices.
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

// finish sets the checks and prices for a group of nodes that lead to each other. finish must
// already have run for all other nodes that the group leads to.
func (g *graph) finish(c *callCosts, group []int32) {
	if n := int(group[0]); len(group) == 1 && !slices.Contains(g.edges(n), uint32(n)) {
		g.finishOne(c, n)
		return
	}
	for _, n := range group {
		if int(n) >= len(g.m.funcs) {
			c.price[n] = g.highest(c, int(n))
		} else if i := int(n) - g.m.importedFuncs; i >= 0 {
			c.check[i] = true
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

// highest returns the highest price of the functions of a type.
func (g *graph) highest(c *callCosts, n int) uint64 {
	var price uint64
	for _, to := range g.edges(n) {
		price = max(price, c.price[to])
	}
	return price
}

// groups finds the strongly connected components of a graph with nodes 0 to n-1, by Tarjan's
// algorithm without recursion. It calls the function found for a component only after all other
// components that can be reached from it. found must not keep the slice.
func groups(n int, next func(int) []uint32, found func([]int32)) {
	w := &groupWalk{order: make([]int32, n), low: make([]int32, n), onStack: make([]bool, n)}
	for root := range n {
		if w.order[root] == 0 {
			w.meet(int32(root))
			w.walk(next, found)
		}
	}
}

// groupWalk is the state of a walk through a graph.
type groupWalk struct {
	order   []int32 // order in which nodes were visited, from 1; 0 means not yet
	low     []int32 // per node, the lowest order of a reachable node on the stack
	onStack []bool
	stack   []int32 // nodes whose group is not complete
	path    []visit
	met     int32
}

// visit is a node on the path, with the number of its edges that were followed.
type visit struct {
	node int32
	done int
}

func (w *groupWalk) meet(n int32) {
	w.met++
	w.order[n], w.low[n] = w.met, w.met
	w.stack, w.onStack[n] = append(w.stack, n), true
	w.path = append(w.path, visit{node: n})
}

// walk follows all edges from the node on the path, and from every node that it meets.
func (w *groupWalk) walk(next func(int) []uint32, found func([]int32)) {
	for len(w.path) > 0 {
		v := &w.path[len(w.path)-1]
		if edges := next(int(v.node)); v.done < len(edges) {
			to := int32(edges[v.done])
			v.done++
			switch {
			case w.order[to] == 0:
				w.meet(to)
			case w.onStack[to]:
				w.low[v.node] = min(w.low[v.node], w.order[to])
			}
			continue
		}
		n := v.node
		w.path = w.path[:len(w.path)-1]
		if len(w.path) > 0 {
			from := w.path[len(w.path)-1].node
			w.low[from] = min(w.low[from], w.low[n])
		}
		if w.low[n] == w.order[n] {
			found(w.pop(n))
		}
	}
}

// pop removes the group that began with n from the stack.
func (w *groupWalk) pop(n int32) []int32 {
	at := len(w.stack) - 1
	for w.stack[at] != n {
		at--
	}
	group := w.stack[at:]
	w.stack = w.stack[:at]
	for _, member := range group {
		w.onStack[member] = false
	}
	return group
}
