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

// Limits on the work for one script. A script that exceeds them is denied, because the part that
// was not checked may contain anything.
const (
	// MaxScriptBytes is the maximum size of a script.
	MaxScriptBytes = 256 << 10
	maxParts       = 1000
	maxDepth       = 8   // depth of scripts within scripts, and of commands within wrappers
	maxNesting     = 200 // depth of brackets and other nesting syntax
)

// Result is the classification of a script. The zero value denies.
type Result struct {
	// Effect is the effect of the worst part.
	Effect policy.Effect `json:"effect"`
	// ReadOnly says that every part is harmless by itself, and not because the operator allows it.
	// It is false unless Effect is policy.Allow.
	ReadOnly bool `json:"read_only"`
	// Reason gives the reason for Effect, and quotes the responsible parts of the script. It is one
	// line and safe to print.
	Reason string `json:"reason"`
	// Parts are the commands, redirections and assignments of the script in order. Parts within a
	// wrapper come after the wrapper.
	Parts []Part `json:"parts"`
}

// Part is one simple command, redirection or assignment.
type Part struct {
	// Text is the source of the part, shortened, quoted and safe to print.
	Text string `json:"text"`
	// Source is the source of the part, cut only at maxSource bytes and otherwise unchanged, so it
	// is not safe to print.
	Source string        `json:"-"`
	Effect policy.Effect `json:"effect"`
	// Why gives the reason for Effect in a few words that the host wrote.
	Why string `json:"why"`
	// Pattern matches all commands like this one, as in Settings.Allow. It is empty if there is no
	// such pattern: then an approval can only be for this script.
	Pattern string `json:"pattern,omitempty"`

	allowed bool // the operator allows the part, which is not harmless by itself
	// restricted says that a pattern of Settings.Ask or Settings.Deny matches the part or could
	// match what the part runs.
	restricted bool
}

// Restricted reports whether a part needs approval that a pattern of Settings.Ask or Settings.Deny
// matches or could match. A part could match if it can run other commands, or if its command is
// unknown or known only at run time.
func (r Result) Restricted() bool {
	return slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Effect == policy.Ask && p.restricted })
}

// Patterns returns the distinct patterns of the parts that need approval. It returns false if no
// list of patterns covers the script, because a part has no pattern.
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

// Classify classifies a script in the language of bash. It is pure, bounded, and safe for
// concurrent use.
func Classify(script string, s Settings) Result {
	c := &classifier{settings: s}
	c.script(script, 0)
	return c.result()
}

// classifier collects the parts of one script and of the scripts within it.
type classifier struct {
	settings Settings
	parts    []Part
	full     bool // the script has more parts than the limit
}

// verdict is the classification of one part.
type verdict struct {
	effect policy.Effect
	why    string
}

func allow(why string) verdict { return verdict{policy.Allow, why} }
func ask(why string) verdict   { return verdict{policy.Ask, why} }
func deny(why string) verdict  { return verdict{policy.Deny, why} }

// maxShownPart limits the bytes of a part that are shown.
const maxShownPart = 80

// shown returns a part of the script shortened, quoted and safe to print.
func shown(text string) string {
	return strconv.QuoteToGraphic(plaintext.Visible(plaintext.Short(strings.TrimSpace(text), maxShownPart)))
}

// maxSource limits the bytes of a part's source: parts contain one another, so all sources together
// could be many times the size of the script.
const maxSource = 1000

func (j verdict) part(text string) Part {
	p := Part{Text: shown(text), Source: text, Effect: j.effect, Why: j.why}
	if len(text) > maxSource {
		p.Source = questiontext.Shorten(text, maxSource)
	}
	return p
}

// add adds a part that is not a simple command. It is not known what the part makes the shell run.
func (c *classifier) add(text string, j verdict) {
	p := j.part(text)
	p.restricted = c.settings.restricts()
	c.addPart(p)
}

func (c *classifier) addPart(p Part) {
	if len(c.parts) == maxParts {
		c.exceed("it has too many parts")
	}
	if !c.full {
		c.parts = append(c.parts, p)
	}
}

// exceed denies the script and stops checking it.
func (c *classifier) exceed(why string) {
	if c.full {
		return
	}
	c.full = true
	c.parts = append(c.parts, Part{Text: shown("…"), Effect: policy.Deny, Why: why + "; make it shorter"})
}

// script classifies a script, or a script within another.
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
	if err != nil || strings.Contains(text, "\x00") { // shells drop NUL bytes, in different ways
		c.add(text, ask("it cannot be read as a shell script"))
		return
	}
	t := &tree{c: c, text: text, depth: depth, functions: topFunctions(file)}
	t.walk(file)
	t.computed(file)
}

// parse parses a script. The parser is a library. If the library panics, parse returns an error.
func parse(text string) (file *syntax.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, fmt.Errorf("the parser panicked: %v", p)
		}
	}()
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// nesting returns an upper bound of how deep a script nests, to limit the stack of the recursive
// parser. It also counts brackets that never close, such as those in a string.
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

// maxReportedParts limits the parts that a reason names.
const maxReportedParts = 4

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
	if more := len(told) - maxReportedParts; more > 0 {
		told = append(told[:maxReportedParts], fmt.Sprintf("and %d more", more))
	}
	r.Reason = strings.Join(told, "; ")
	return r
}
