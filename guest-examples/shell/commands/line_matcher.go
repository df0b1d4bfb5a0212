package commands

import (
	"github.com/wasmtool/wasmtool/guest-examples/internal/automaton"
	"github.com/wasmtool/wasmtool/guest-examples/internal/regex"
)

// lineMatcher matches a pattern in many lines.
type lineMatcher struct {
	*regex.Regexp
	// machine matches ASCII lines; nil before it is worth making, or if the pattern has none.
	machine *automaton.Machine
	uses    int
	pairs   []int
}

// ready returns the machine, if there is one. It is made when the pattern has been used a few
// times.
func (m *lineMatcher) ready() *automaton.Machine {
	const few = 16
	if m.uses <= few {
		if m.uses++; m.uses > few {
			m.machine = automaton.New(regex.ASCII(m.Regexp))
		}
	}
	return m.machine
}

// Match reports whether line contains a match.
func (m *lineMatcher) Match(line []byte) bool {
	if machine := m.ready(); machine != nil {
		if found, ok := machine.Match(line); ok {
			return found
		}
	}
	return m.Regexp.Match(line)
}

// appendMatches appends to places the positions of up to limit successive matches in line; a
// negative limit means all. The pattern must be one that prefers the longest match. Each match has
// width positions: two of the match, and with groups also two of each group.
func (m *lineMatcher) appendMatches(places []int, line []byte, limit int, groups bool) (all []int, width int) {
	width = 2
	if groups {
		width *= 1 + m.NumSubexp()
	}
	if machine := m.ready(); machine != nil {
		pairs, ok := machine.AppendAll(m.pairs[:0], line, limit)
		m.pairs = pairs
		switch {
		case ok && (!groups || len(pairs) == 0):
			return append(places, pairs...), width
		case ok && !machine.Anchored():
			return m.appendGroups(places, line, pairs), width
		}
	}
	for _, match := range m.FindAllSubmatchIndex(line, limit) {
		places = append(places, match[:width]...)
	}
	return places, width
}

// appendGroups appends the positions of matches and of their groups. The groups of a match depend
// only on its text, because the pattern has no anchors.
func (m *lineMatcher) appendGroups(places []int, line []byte, pairs []int) []int {
	for i := 0; i < len(pairs); i += 2 {
		from := pairs[i]
		for _, at := range m.FindSubmatchIndex(line[from:pairs[i+1]]) {
			if at >= 0 {
				at += from
			}
			places = append(places, at)
		}
	}
	return places
}
