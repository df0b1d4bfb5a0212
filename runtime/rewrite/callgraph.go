package rewrite

import "slices"

// entries decides which functions check fuel on entry and what a call costs.
//
// It looks only at calls that a function can reach from its entry without passing
// a loop head, because loop heads check anyway. A function checks on entry when
// such calls can lead back to it, or when it and what it calls in this way may do
// more work than maxUnchecked. All other functions are paid for by their callers.
type entries struct {
	// check is by defined function.
	check []bool
	// price is by node: what a caller pays for the work before the next check.
	price []uint64
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
}

func newGraph(m *module, s *scan) *graph {
	g := &graph{m: m, s: s, alias: aliases(m.types), targets: make([][]uint32, len(m.types))}
	for f, taken := range s.taken {
		if taken {
			t := g.alias[m.funcs[f]]
			g.targets[t] = append(g.targets[t], uint32(f))
		}
	}
	for i, n := range s.edges {
		if int(n) >= len(m.funcs) {
			s.edges[i] = g.typeNode(n - uint32(len(m.funcs)))
		}
	}
	return g
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

// next returns the nodes that node n leads to.
func (g *graph) next(n int) []uint32 {
	if funcs := len(g.m.funcs); n >= funcs {
		return g.targets[n-funcs]
	}
	i := n - g.m.importedFuncs
	if i < 0 {
		return nil
	}
	from := 0
	if i > 0 {
		from = g.s.funcs[i-1].edges
	}
	return g.s.edges[from:g.s.funcs[i].edges]
}

// entries walks the graph by Tarjan's algorithm, which finishes with a group of
// nodes that lead to each other only after all that they lead to.
func (g *graph) entries() *entries {
	e := &entries{check: make([]bool, len(g.m.codes)), price: make([]uint64, g.nodes())}
	var (
		order   = make([]int32, g.nodes()) // when a node was met, from 1; 0 is not yet
		low     = make([]int32, g.nodes())
		onStack = make([]bool, g.nodes())
		stack   []int32
		met     int32
		path    []visit
	)
	meet := func(n int32) {
		met++
		order[n], low[n] = met, met
		stack, onStack[n] = append(stack, n), true
		path = append(path, visit{node: n})
	}
	for root := range g.nodes() {
		if order[root] != 0 {
			continue
		}
		meet(int32(root))
		for len(path) > 0 {
			v := &path[len(path)-1]
			if next := g.next(int(v.node)); v.done < len(next) {
				to := int32(next[v.done])
				v.done++
				switch {
				case order[to] == 0:
					meet(to)
				case onStack[to]:
					low[v.node] = min(low[v.node], order[to])
				}
				continue
			}
			n := v.node
			path = path[:len(path)-1]
			if len(path) > 0 {
				caller := path[len(path)-1].node
				low[caller] = min(low[caller], low[n])
			}
			if low[n] != order[n] {
				continue
			}
			at := len(stack) - 1
			for stack[at] != n {
				at--
			}
			group := stack[at:]
			stack = stack[:at]
			for _, member := range group {
				onStack[member] = false
			}
			g.finish(e, group)
		}
	}
	return e
}

// visit is a node that is being walked: done of its edges have been followed.
type visit struct {
	node int32
	done int
}

// finish decides about a group of nodes that lead to each other. All others that
// they lead to have been decided.
func (g *graph) finish(e *entries, group []int32) {
	n := int(group[0])
	if len(group) == 1 && !slices.Contains(g.next(n), uint32(n)) {
		g.finishOne(e, n)
		return
	}
	for _, n := range group {
		if i := int(n) - g.m.importedFuncs; i >= 0 && int(n) < len(g.m.funcs) {
			e.check[i] = true
		}
	}
	for _, n := range group {
		if int(n) >= len(g.m.funcs) {
			e.price[n] = g.highest(e, int(n))
		}
	}
}

func (g *graph) finishOne(e *entries, n int) {
	i := n - g.m.importedFuncs
	switch {
	case i < 0:
		e.price[n] = costHost
	case n >= len(g.m.funcs):
		e.price[n] = g.highest(e, n)
	default:
		price := g.s.funcs[i].cost
		for _, to := range g.next(n) {
			price = addCost(price, e.price[to])
		}
		if e.check[i] = price > maxUnchecked; !e.check[i] {
			e.price[n] = price
		}
	}
}

// highest returns the highest price behind a type.
func (g *graph) highest(e *entries, n int) uint64 {
	var price uint64
	for _, to := range g.next(n) {
		price = max(price, e.price[to])
	}
	return price
}
