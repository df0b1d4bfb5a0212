package pipeline

import (
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/questiontext"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
)

// Within is the script that makes a call and waits for the answer to a question about it.
type Within struct {
	// Tool is the tool that runs the script.
	Tool string
	// Script is the text of the script, and "" if the tool has a script of its own. Line is the
	// line that makes the call, counted from 1, as the script says; 0 means unknown. A script may
	// lie about the line, but not about the call.
	Script string
	Line   int
	// Before are the calls that the script has already made, such as "grep 3 times".
	Before []string
}

// within describes the script that makes a call, or returns nil.
func (a authorised) within() *Within {
	in := a.inside
	if in == nil {
		return nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return &Within{Tool: in.tool, Script: a.made.Script, Line: a.made.Line, Before: in.before()}
}

// before lists the calls that have ended, grouped by tool and by what they did. in.mu is held.
func (in *inside) before() (all []string) {
	count := make(map[madeCall]int)
	var order []madeCall
	for _, m := range in.made {
		if count[m]++; count[m] == 1 {
			order = append(order, m)
		}
	}
	for _, m := range order {
		text := m.tool
		if n := count[m]; n > 1 {
			text += fmt.Sprintf(" %d times", n)
		}
		switch {
		case m.failed:
			text += " (failed)"
		case m.changed:
			text += " (changed something)"
		}
		all = append(all, text)
	}
	return all
}

// writeTo writes the script for a question to a person. Everything that the script chose is quoted.
func (w *Within) writeTo(line func(format string, args ...any)) {
	text := "The call is made by a script in the tool " + questiontext.Shorten(w.Tool, maxFact)
	lines := strings.Split(w.Script, "\n")
	switch {
	case w.Line > 0 && w.Line <= len(lines) && w.Script != "":
		text += fmt.Sprintf(", which says that it is at line %d: %s", w.Line, questiontext.Quote(strings.TrimSpace(lines[w.Line-1]), maxFact))
	case w.Line > 0:
		text += fmt.Sprintf(", which says that it is at its line %d", w.Line)
	}
	line("%s", text)
	if len(w.Before) == 0 {
		line("The script has made no other call.")
		return
	}
	line("%s", plaintext.Sentence("Before, the script called "+questiontext.Shorten(strings.Join(w.Before, ", "), maxWhy))+".")
}

// scriptKey returns the key of an approval with ScopeScript, which covers this registration of the
// tool with this access. Bounds are all limits of the access of the call.
func (a authorised) scriptKey(bounds []string) remembered.Key {
	return remembered.NewKey(a.tool.Registration, nil, bounds)
}

// approvedInScript reports whether a person has approved all calls with the key by this script.
func (in *inside) approvedInScript(key remembered.Key) bool {
	if in == nil {
		return false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.approved[key]
}

// approveInScript keeps an approval with ScopeScript, and reports whether the answer has it.
func (in *inside) approveInScript(key remembered.Key, answer Answer) bool {
	if answer.Remember != remembered.ScopeScript {
		return false
	}
	if in != nil {
		in.mu.Lock()
		defer in.mu.Unlock()
		if in.approved == nil {
			in.approved = make(map[remembered.Key]bool)
		}
		in.approved[key] = true
	}
	return true
}
