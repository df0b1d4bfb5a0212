package secret

// automaton finds many patterns in one pass (Aho-Corasick). It does not change after link, so
// several streams may share it.
type automaton struct {
	nodes []node
	start [256]int32 // edges of the root, by byte; other nodes have few edges and keep a list
}

// node is a state of the automaton: the most recently read bytes are the path from the root to the
// node.
type node struct {
	edges []edge
	// fail is the node of the longest proper suffix of the path that is the beginning of a pattern.
	fail  int32
	depth int32
	found int32 // length of the longest pattern that ends here, or 0
	label string
}

type edge struct {
	b  byte
	to int32
}

func newAutomaton() *automaton { return &automaton{nodes: make([]node, 1)} }

// add adds a non-empty pattern, to be found under label.
func (a *automaton) add(pattern []byte, label string) {
	at := int32(0)
	for _, b := range pattern {
		next := a.child(at, b)
		if next == 0 {
			next = int32(len(a.nodes))
			a.nodes = append(a.nodes, node{depth: a.nodes[at].depth + 1})
			if at == 0 {
				a.start[b] = next
			} else {
				a.nodes[at].edges = append(a.nodes[at].edges, edge{b, next})
			}
		}
		at = next
	}
	if n := &a.nodes[at]; n.found == 0 {
		n.found, n.label = n.depth, label
	}
}

// child returns the child of the node at for the symbol b, or 0.
func (a *automaton) child(at int32, b byte) int32 {
	if at == 0 {
		return a.start[b]
	}
	for _, e := range a.nodes[at].edges {
		if e.b == b {
			return e.to
		}
	}
	return 0
}

// link sets the fail node of each node, from which the search continues when a pattern does not
// match any further. It is called once, after the last add.
func (a *automaton) link() {
	var queue []int32
	for _, to := range a.start {
		if to != 0 {
			queue = append(queue, to)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, e := range a.nodes[at].edges {
			n := &a.nodes[e.to]
			n.fail = a.next(a.nodes[at].fail, e.b)
			if suffix := a.nodes[n.fail]; n.found == 0 {
				n.found, n.label = suffix.found, suffix.label
			}
			queue = append(queue, e.to)
		}
	}
}

// next returns the state that follows the state at when b is read.
func (a *automaton) next(at int32, b byte) int32 {
	for {
		if to := a.child(at, b); to != 0 || at == 0 {
			return to
		}
		at = a.nodes[at].fail
	}
}
