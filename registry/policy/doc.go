// Package policy decides which tools are visible and which calls may run. It is pure: a Config
// is compiled once, and the Policy answers from the facts that it is given about a tool and a
// call. It opens no files, asks for no approval, and does not depend on how tools run.
//
// There are two gates. Visible comes first: a tool that it refuses is neither listed nor
// revealed in an error. Decide comes after the arguments were validated against the schema: it
// returns allow, ask or deny for one call.
//
// # Visible tools
//
// A tool is visible if the profile contains it, the allow list (if there is one) names it, the deny
// list does not name it, and it is not disabled. None of these restores a tool that another
// removes.
//
// # Calls
//
// Of the rules that match a call, deny wins over ask, and ask over allow, in any order. If no
// rule matches, a call is allowed if the tool is not dangerous and the call can only read
// mounts, read its own store, and use the clock and randomness; any other call needs approval.
// The operator can lift that default, and only the default, in two ways:
//
//   - auto_execute for the tool always lifts it;
//   - an allow rule that matches lifts it; for a dangerous tool only if the rule names the
//     tool itself, not a group or a pattern.
//
// # Ambiguous calls
//
// Rules that deny or ask match more than rules that allow: they also match a tool by its
// aliases, a path in any spelling that some tool or file system treats as equal, a value of
// another type than the rule expects, and a grant that overlaps with what they name. A rule
// that allows matches only if it covers every part of the call.
//
// A condition on arguments compares only the text of a path. It does not know links, the files that
// a tool finds in a directory, or the defaults of a tool. To restrict files and addresses, use
// mounts and grants: they are checked at each use.
package policy
