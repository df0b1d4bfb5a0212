package policy

import "encoding/json"

// Config is a policy as the operator wrote it. The zero value is the profile "full"
// without rules: every tool is there, and what is not harmless is asked about.
type Config struct {
	// Off switches all tools off.
	Off bool
	// Profile is one of minimal, coding, messaging, full; empty means full.
	Profile string
	// Allow, unless empty, keeps only the tools that it names. Deny takes away. An
	// entry is a tool's name, "group:NAME", or a pattern in which * stands for any
	// characters. Deny also takes aliases; Allow takes only the usual other names
	// such as bash for exec, since a tool's author chooses its aliases.
	Allow, Deny []string
	// Tools holds settings of single tools by name.
	Tools map[string]ToolRule
	// Rules speak about calls. Their order does not matter, except that of several
	// that decide alike the first is named.
	Rules []Rule
	// Base is the guest's working directory, to which relative paths in arguments
	// and in patterns refer: absolute, cleaned, without any of *?[]{}\. Empty means
	// "/workspace".
	Base string
	// Sources says where entries were written, as "file:line", for explanations.
	// Keys are "profile", "allow", "deny", or one entry as "deny[0]". May be nil.
	Sources map[string]string
}

// ToolRule is what the operator set for one tool. The zero value sets nothing.
type ToolRule struct {
	// Enabled set to false switches the tool off; nil and true leave it on. True
	// brings back nothing that profile or lists take away.
	Enabled *bool
	// AutoExecute lets calls run that would be asked about by default, also those
	// of a dangerous tool. It lifts no rule.
	AutoExecute bool
	// Source is where this was written, as "file:line"; may be empty.
	Source string
}

// Rule says what happens with calls that it holds for: those for which Tools,
// Capabilities and Arguments all hold. An empty one of these holds always, but not
// all three may be empty.
type Rule struct {
	// Effect is what the rule does; the zero value denies.
	Effect Effect
	// Tools are entries as in Config.Allow and Config.Deny.
	Tools []string
	// Capabilities name what the call's grant has, in the words that grant it:
	// read:MOUNT, write:MOUNT, env:NAME, secret:NAME, kv:read, kv:write, clock,
	// random, net:URL, net:METHODS:URL, net-private:URL, or * for anything. A * in a
	// name stands for any characters. In a URL, * stands for one label of the host,
	// ** for any number of them, and either for any scheme or port; the path is a
	// prefix.
	//
	// A rule that denies or asks holds if the grant overlaps with one of them. A
	// rule that allows holds if everything in the grant that would be asked about
	// lies within one of them.
	Capabilities []string
	// Arguments maps JSON pointers to what must hold there. The token * stands for
	// every element or field; so does, in a list, any token that is no index.
	Arguments map[string]Match
	// Reason is told when the rule decides; may be empty.
	Reason string
	// Source is where the rule was written, as "file:line"; may be empty.
	Source string
}

// Match is a condition on an argument: exactly one of Equals, Glob, Prefix and
// Regexp. Of a list, a rule that denies or asks needs one element for which it holds,
// a rule that allows needs it for all; an empty list and null are like a missing
// argument. A value of another type than the condition is for holds in a rule that
// denies or asks and not in one that allows. So does an object, unless Equals names
// it, where a rule that denies or asks also looks at its fields' names.
type Match struct {
	// Equals is a JSON value. Numbers are compared exactly, whatever their
	// spelling: 1, 1.0 and 1e0 are equal. In a rule that denies or asks, texts that
	// spell the same path are equal.
	Equals json.RawMessage
	// Glob is a pattern for a path: * and ? within one name, ** for any number of
	// folders, [a-z], {a,b}. One that begins neither with / nor ** is relative to
	// Config.Base. At most 256 bytes, 3 braces and 16 commas. A rule that denies or
	// asks also holds for what lies below a path that matches.
	Glob string
	// Prefix is a path: it and all below. At most 1024 bytes.
	Prefix string
	// Regexp is an RE2 expression for the whole text, where . matches line ends too.
	// The text is not cleaned, so for paths use Glob or Prefix. At most 1024 bytes.
	Regexp string
	// Missing makes the condition hold for an argument that is not given.
	Missing bool
	// FoldCase makes letters equal whatever their case. Glob and Prefix do so
	// anyway in a rule that denies or asks.
	FoldCase bool
}
