package rewrite

// groups finds the groups of nodes of a graph that lead to each other, by
// Tarjan's algorithm without recursion. It calls found for a group only after all
// others that the group leads to; found must not keep the slice. The nodes are 0
// to n-1.
func groups(n int, next func(int) []uint32, found func([]int32)) {
	w := &groupWalk{order: make([]int32, n), low: make([]int32, n), onStack: make([]bool, n)}
	for root := range n {
		if w.order[root] == 0 {
			w.meet(int32(root))
			w.walk(next, found)
		}
	}
}

// groupWalk is a walk through a graph.
type groupWalk struct {
	order   []int32 // when a node was met, from 1; 0 is not yet
	low     []int32 // the first one met of those that a node leads to and that are on the stack
	onStack []bool
	stack   []int32 // nodes whose group is not complete
	path    []visit
	met     int32
}

// visit is a node on the path: done of its edges have been followed.
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

// walk follows all edges from the node on the path.
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

// pop takes the group that began with n off the stack.
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
