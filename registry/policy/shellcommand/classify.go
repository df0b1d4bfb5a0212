package shellcommand

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/questiontext"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// Bounds on the work for one script. What goes beyond them is denied: a script that nobody
// looked at to its end may hold anything.
const (
	// MaxScriptBytes is the longest script.
	MaxScriptBytes = 256 << 10
	maxParts       = 1000
	maxDepth       = 8   // of scripts within scripts, and of commands within wrappers
	maxNesting     = 200 // of brackets and of what else nests
)

// Result is what was found out about a script. The zero value denies.
type Result struct {
	// Effect is that of the worst part.
	Effect policy.Effect `json:"effect"`
	// ReadOnly tells that every part is harmless by what it is, and none because the
	// operator allows it. It is false unless Effect is policy.Allow.
	ReadOnly bool `json:"read_only"`
	// Reason says why, with the parts at fault quoted from the script. It is one line
	// and safe to print.
	Reason string `json:"reason"`
	// Parts are the commands of the script and what else it does, in their order, those
	// inside of wrappers after the wrapper.
	Parts []Part `json:"parts"`
}

// Part is one simple command, redirection or assignment.
type Part struct {
	// Text is the part as the script has it, shortened, in quotes and safe to print.
	Text string `json:"text"`
	// Source is the part as the script has it, shortened less, whatever it holds: it is not
	// safe to print.
	Source string        `json:"-"`
	Effect policy.Effect `json:"effect"`
	// Why says why, in a few words of the host's.
	Why string `json:"why"`
	// Pattern is what a yes to all commands like this one would be for, as in
	// Settings.Allow. It is empty where there is none: a yes is good for this script
	// alone then.
	Pattern string `json:"pattern,omitempty"`

	allowed bool // by the operator, not by what it is
}

// Patterns returns the patterns of the parts that are asked about, each once. It is false
// when some part has none, so that no patterns stand for the script.
func (r Result) Patterns() ([]string, bool) {
	var patterns []string
	for _, p := range r.Parts {
		switch {
		case p.Effect != policy.Ask:
		case p.Pattern == "":
			return nil, false
		case !slices.Contains(patterns, p.Pattern):
			patterns = append(patterns, p.Pattern)
		}
	}
	return patterns, len(patterns) > 0
}

// Classify judges a script in the language of bash. It is pure, bounded, and may be called
// concurrently.
func Classify(script string, s Settings) Result {
	c := &classifier{settings: s}
	c.script(script, 0)
	return c.result()
}

// classifier gathers the parts of one script, with all scripts inside of it.
type classifier struct {
	settings Settings
	parts    []Part
	full     bool // there was more than is looked at
}

// judgement is what one part comes to.
type judgement struct {
	effect policy.Effect
	why    string
}

func allow(why string) judgement { return judgement{policy.Allow, why} }
func ask(why string) judgement   { return judgement{policy.Ask, why} }
func deny(why string) judgement  { return judgement{policy.Deny, why} }

// maxShownPart is how many bytes of a part are told.
const maxShownPart = 80

// shown is a text of the script for people.
func shown(text string) string {
	return strconv.QuoteToGraphic(plaintext.Visible(plaintext.Short(strings.TrimSpace(text), maxShownPart)))
}

// maxSource is how many bytes of a part are kept: parts hold one another, so that all of them
// could be many times the script.
const maxSource = 1000

func (j judgement) part(text string) Part {
	p := Part{Text: shown(text), Source: text, Effect: j.effect, Why: j.why}
	if len(text) > maxSource {
		p.Source = questiontext.Shorten(text, maxSource)
	}
	return p
}

func (c *classifier) add(text string, j judgement) { c.addPart(j.part(text)) }

func (c *classifier) addPart(p Part) {
	if len(c.parts) == maxParts {
		c.exceed("it has more parts than are looked at")
	}
	if !c.full {
		c.parts = append(c.parts, p)
	}
}

// exceed denies the script, and ends looking at it.
func (c *classifier) exceed(why string) {
	if c.full {
		return
	}
	c.full = true
	c.parts = append(c.parts, Part{Text: shown("…"), Effect: policy.Deny, Why: why + "; make it shorter"})
}

// script judges a script, or one inside of another.
func (c *classifier) script(text string, depth int) {
	switch {
	case c.full:
		return
	case len(text) > MaxScriptBytes:
		c.exceed(fmt.Sprintf("it is longer than %d bytes", MaxScriptBytes))
		return
	case depth > maxDepth:
		c.exceed("it is nested too deeply")
		return
	case nesting(text) > maxNesting:
		c.exceed("it nests too many brackets")
		return
	}
	file, err := parse(text)
	if err != nil || strings.Contains(text, "\x00") { // which shells leave out, each in its way
		c.add(text, ask("it cannot be read as a shell script"))
		return
	}
	t := &tree{c: c, text: text, depth: depth, functions: topFunctions(file)}
	t.walk(file)
	t.computed(file)
}

// parse reads a script. The parser is not ours: one that breaks down is one that cannot
// read it.
func parse(text string) (file *syntax.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, fmt.Errorf("the parser broke down: %v", p)
		}
	}()
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// nesting is at most how deep a script nests, so that the stack of a parser that recurses
// is bounded. What opens and never closes, such as a bracket in a text, counts, too.
func nesting(text string) int {
	depth, most := 0, 0
	for _, r := range text {
		switch r {
		case '(', '{', '[', '`':
			depth++
			most = max(most, depth)
		case ')', '}', ']':
			depth = max(depth-1, 0)
		}
	}
	return most
}

// maxToldParts is how many parts a reason names.
const maxToldParts = 4

func (c *classifier) result() Result {
	r := Result{Effect: policy.Allow, ReadOnly: true, Reason: "it can only read", Parts: c.parts}
	for _, p := range c.parts {
		r.Effect = min(r.Effect, p.Effect)
		r.ReadOnly = r.ReadOnly && !p.allowed
	}
	r.ReadOnly = r.ReadOnly && r.Effect == policy.Allow
	if r.ReadOnly {
		return r
	}
	var told []string
	for _, p := range c.parts {
		if p.Effect == r.Effect && (r.Effect != policy.Allow || p.allowed) {
			told = append(told, p.Text+" "+p.Why)
		}
	}
	if more := len(told) - maxToldParts; more > 0 {
		told = append(told[:maxToldParts], fmt.Sprintf("and %d more", more))
	}
	r.Reason = strings.Join(told, "; ")
	return r
}
