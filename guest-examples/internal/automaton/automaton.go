// Package automaton finds matches of regular expressions in ASCII text with a deterministic
// automaton, several times faster than package regexp. A step of package regexp costs dozens of
// operations for each byte, which a guest makes slowly; a step here is a look-up in a table. The
// table is made while texts are matched.
package automaton

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

// A Machine matches one expression. It is not safe for concurrent use.
type Machine struct {
	prog   *syntax.Prog
	states []state
	// next has, for each state and each byte, the next state.
	next   []uint16
	known  map[string]uint16
	begin  uint16 // the state at the start of a text
	inside uint16 // the state at any other place where a match may start
	steps  int    // the steps that are left for the current text
	// prefix is what each match starts with.
	prefix string
	// anchored reports whether the expression knows the start or the end of a text.
	anchored bool
}

type state struct {
	// places are the instructions that match a character, in order.
	places []uint32
	// match reports that what was read matches, and matchEnd that it matches at the end of a text.
	match, matchEnd bool
}

// Entries of the table that are not states.
const (
	unknown uint16 = iota
	dead           // no match goes on
	foreign        // the byte is not ASCII
	first          // the first state
)

// maxStates limits the memory of a machine to about 130 KiB.
const maxStates = 256

// maxInstructions limits the time that a new state takes.
const maxInstructions = 500

// New returns a machine for an expression in the syntax of package regexp. It returns nil for an
// expression that is large or knows words or lines, which machines do not support.
func New(expression string) *Machine {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxInstructions {
		return nil
	}
	anchored := false
	for _, inst := range prog.Inst {
		if inst.Op != syntax.InstEmptyWidth {
			continue
		}
		if anchored = true; syntax.EmptyOp(inst.Arg)&^(syntax.EmptyBeginText|syntax.EmptyEndText) != 0 {
			return nil
		}
	}
	prefix := ""
	if !anchored {
		prefix, _ = prog.Prefix()
	}
	m := &Machine{prog: prog, prefix: prefix, anchored: anchored, known: map[string]uint16{}, states: make([]state, first), next: make([]uint16, int(first)<<8)}
	entry := []uint32{uint32(prog.Start)}
	m.begin, m.inside = m.state(entry, syntax.EmptyBeginText), m.state(entry, 0)
	return m
}

// state returns the state after the instructions in entry, at a place with the given properties.
func (m *Machine) state(entry []uint32, at syntax.EmptyOp) uint16 {
	var s state
	s.places, s.match = m.follow(entry, at)
	_, s.matchEnd = m.follow(entry, at|syntax.EmptyEndText)
	if len(s.places) == 0 && !s.matchEnd {
		return dead
	}
	key := []byte{0}
	if s.match {
		key[0] = 1
	}
	if s.matchEnd {
		key[0] |= 2
	}
	for _, place := range s.places {
		key = binary.AppendUvarint(key, uint64(place))
	}
	number, ok := m.known[string(key)]
	if ok {
		return number
	}
	if len(m.states) == maxStates {
		return unknown
	}
	number = uint16(len(m.states))
	m.known[string(key)] = number
	m.states = append(m.states, s)
	row := make([]uint16, 256)
	for i := 128; i < len(row); i++ {
		row[i] = foreign
	}
	m.next = append(m.next, row...)
	return number
}

// follow returns the instructions that match a character and can be reached without reading one,
// in order, and reports whether the end of the expression can be reached.
func (m *Machine) follow(entry []uint32, at syntax.EmptyOp) (places []uint32, match bool) {
	seen := make([]bool, len(m.prog.Inst))
	open := slices.Clone(entry)
	for len(open) > 0 {
		pc := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch inst := &m.prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			open = append(open, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			open = append(open, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^at == 0 {
				open = append(open, inst.Out)
			}
		case syntax.InstMatch:
			match = true
		case syntax.InstFail:
		default:
			places = append(places, pc)
		}
	}
	slices.Sort(places)
	return places, match
}

// step fills in and returns the entry of the table for a state and a byte.
func (m *Machine) step(from uint16, b byte) uint16 {
	var entry []uint32
	for _, pc := range m.states[from].places {
		if inst := &m.prog.Inst[pc]; inst.MatchRune(rune(b)) {
			entry = append(entry, inst.Out)
		}
	}
	to := m.state(entry, 0)
	m.next[int(from)<<8|int(b)] = to
	return to
}

// Anchored reports whether matches depend on the start or the end of the text.
func (m *Machine) Anchored() bool { return m.anchored }

// NoMatch returns the length of the start of text in which no match begins, as far as it can tell
// fast.
func (m *Machine) NoMatch(text []byte) int {
	if len(m.prefix) < 2 {
		return 0
	}
	n := bytescan.IndexPair(text, m.prefix[0], m.prefix[1], 1)
	if n < 0 {
		return max(len(text)-1, 0) // the last byte may be the first of the prefix
	}
	return n
}

// Match reports whether text contains a match. ok is false if the machine can't tell: the text is
// not ASCII, or matching takes long.
func (m *Machine) Match(text []byte) (found, ok bool) {
	m.steps = 8 * (len(text) + 8)
	from, _, ok := m.find(text, 0, true)
	return from >= 0, ok
}

// AppendAll appends to places the start and the end of up to limit successive matches in text, each
// the leftmost longest, as FindAllIndex of package regexp does; a negative limit means all. ok is
// as for [Machine.Match].
func (m *Machine) AppendAll(places []int, text []byte, limit int) (all []int, ok bool) {
	m.steps = 8 * (len(text) + 8)
	before := -1
	for at := 0; at <= len(text) && limit != 0; {
		from, to, ok := m.find(text, at, false)
		if !ok {
			return places, false
		}
		if from < 0 {
			break
		}
		if at = to; from == to {
			at++
			if from == before {
				continue // an empty match right after a match does not count
			}
		}
		before = to
		places = append(places, from, to)
		limit--
	}
	return places, true
}

// find returns the first match that starts at the index at or later, or -1. With early, it may
// be a shorter match than the longest.
func (m *Machine) find(text []byte, at int, early bool) (from, to int, ok bool) {
	for ; at <= len(text); at++ {
		start := m.inside
		if len(m.prefix) > 1 {
			n := bytescan.IndexPair(text[at:], m.prefix[0], m.prefix[1], 1)
			if n < 0 {
				break
			}
			at += n
		} else if at == 0 {
			start = m.begin
		} else if start >= first && !m.states[start].match && !m.states[start].matchEnd {
			// Skip the bytes that no match starts with.
			row := m.next[int(start)<<8 : int(start)<<8+256]
			for at < len(text) && row[text[at]] == dead {
				at++
			}
		}
		if start == dead {
			if at == 0 {
				continue
			}
			return -1, -1, true
		}
		to, ok := m.longest(text, at, start, early)
		if !ok || to >= 0 {
			return at, to, ok
		}
	}
	return -1, -1, true
}

// longest returns the end of the longest match that starts at the index at, or -1.
func (m *Machine) longest(text []byte, at int, s uint16, early bool) (end int, ok bool) {
	end = -1
	begin := at
	for {
		if m.states[s].match {
			if end = at; early {
				break
			}
		}
		if at == len(text) {
			if m.states[s].matchEnd {
				end = at
			}
			break
		}
		next := m.next[int(s)<<8|int(text[at])]
		if next == unknown {
			next = m.step(s, text[at])
		}
		if next < first {
			if next != dead {
				return -1, false
			}
			break
		}
		s = next
		at++
	}
	m.steps -= at - begin
	return end, m.steps >= 0
}
