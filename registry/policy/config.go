package policy

import "encoding/json"

// Config is a policy as the operator wrote it. The zero value is the profile "full" without rules:
// every tool is visible, and calls that are not harmless need approval.
type Config struct {
	// Off disables all tools.
	Off bool
	// AskOutside is Rules.AskOutside of package registry. A Policy does not depend on it.
	AskOutside bool
	// Profile is minimal, coding, messaging or full; empty means full.
	Profile string
	// If Allow is not empty, only the tools that it names are kept. Deny removes tools. An entry is
	// a tool's name, "group:NAME", or a pattern in which * matches any characters. Deny also
	// matches aliases. Allow ignores aliases, because the author of a tool chooses them, but
	// matches well-known other names, such as exec for bash.
	Allow, Deny []string
	// Tools holds settings of single tools by name.
	Tools map[string]ToolRule
	// Additional means that the Policy decides in addition to another one, and the stricter
	// decision applies: a call that no rule denies or asks about is allowed, because the other
	// Policy decides about it.
	Additional bool
	// Rules decide about calls. Their order matters only for explanations: of several rules with
	// the same effect, the first is named.
	Rules []Rule
	// Base is the guest's working directory. Relative paths in arguments and patterns start there.
	// If a call has another working directory, a rule that denies or asks also matches if the path
	// that starts there matches, and a rule that allows requires that both match.
	// It is absolute and cleaned, without any of *?[]{}\. Empty means "/workspace".
	Base string
	// Sources gives the place of entries as "file:line", for explanations. Keys are "profile",
	// "allow", "deny", or a single entry such as "deny[0]". It may be nil.
	Sources map[string]string
}

// ToolRule is the operator's settings for one tool. The zero value changes nothing.
type ToolRule struct {
	// Enabled set to false disables the tool. True, like nil, changes nothing: it does not restore
	// a tool that the profile or a list removes.
	Enabled *bool
	// AutoExecute allows calls that would need approval by default, including calls of a dangerous
	// tool. It does not override rules.
	AutoExecute bool
	// Source is the place of this entry as "file:line"; may be empty.
	Source string
}

// Rule decides about the calls that it matches. It matches a call if Tools, Capabilities and
// Arguments all match. An empty field matches every call, but at least one field must be set.
type Rule struct {
	// Effect is what the rule does; the zero value denies.
	Effect Effect
	// Tools are the tools whose calls the rule matches, written as in Config.Allow and Config.Deny.
	Tools []string
	// Capabilities name permissions in the grant of a call: read:MOUNT, write:MOUNT, env:NAME,
	// secret:NAME, kv:read, kv:write, clock, random, net:URL, net:METHODS:URL, net-private:URL, or
	// * for any. A * in a name matches any characters. In the host of a URL, * matches one label
	// and ** any number of labels. A * as the scheme or port of a URL matches any; the path is a
	// prefix. A rule that denies or asks matches if the grant overlaps with one of the
	// Capabilities. A rule that allows matches if the Capabilities cover all permissions of the
	// grant that need approval; each permission must be covered by a single one of the
	// Capabilities.
	Capabilities []string
	// Arguments maps JSON pointers to conditions. The first token may be any name of a parameter,
	// if the parameter has several. The token * matches every element or field. For a
	// list, a token that is not an index also matches every element.
	Arguments map[string]Match
	// Reason is reported when the rule decides; may be empty.
	Reason string
	// Source is the place of the rule as "file:line"; may be empty.
	Source string
}

// Match is a condition on an argument. Exactly one of Equals, Glob, Prefix and Regexp is set. For a
// list, a rule that denies or asks needs one matching element, and a rule that allows needs all
// elements to match. An empty list and null count as a missing argument. If the condition expects a
// value of another type, a rule that denies or asks matches, and a rule that allows does not. The
// same applies to an object, unless Equals is an object; a rule that denies or asks also checks the
// names of its fields.
type Match struct {
	// Equals is a JSON value. Numbers are compared by value, not by notation: 1, 1.0 and 1e0 are
	// equal. In a rule that denies or asks, different spellings of the same path are equal.
	Equals json.RawMessage
	// Glob is a pattern for a path: * and ? within one name, ** for any number of directories,
	// [a-z], {a,b}. A pattern that begins with neither / nor ** is relative to Config.Base. It has
	// at most 256 bytes, 3 braces and 16 commas. In a rule that denies or asks it also matches
	// everything below a matching path.
	Glob string
	// Prefix is a path of at most 1024 bytes; it matches the path and everything below it.
	Prefix string
	// Regexp is an RE2 expression of at most 1024 bytes that must match the whole string; . also
	// matches line ends. The string is not cleaned, so use Glob or Prefix for paths.
	Regexp string
	// Missing makes the condition match an argument that is not given.
	Missing bool
	// FoldCase ignores case. In a rule that denies or asks, Glob and Prefix always ignore it.
	FoldCase bool
}
