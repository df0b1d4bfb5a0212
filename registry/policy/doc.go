// Package policy decides which tools are there and which calls may run. It is pure:
// a Config is compiled once, and a Policy answers from what it is told about a tool
// and a call. It opens nothing, asks nobody and knows nothing of how tools run.
//
// There are two gates. Visible comes before anything else: a tool that it refuses is
// not listed, and nothing of it is told. Decide comes after the arguments were
// checked against the schema: it says allow, ask or deny for one call.
//
// # Which tools are there
//
// What is there is the profile, cut down to the allow list where there is one, less
// the deny list and less what is switched off. Nothing brings back what one of these
// took away.
//
// # Which calls may run
//
// Of the rules that hold for a call, deny wins over ask and ask over allow, in
// whatever order they stand. Where no rule holds, a call is allowed if the tool is
// not dangerous and the call can only read what is mounted, read its own store, and
// use clock and randomness; all else is asked about. The operator lifts that
// question, and only that one, in one of two ways:
//
//   - auto_execute for the tool lifts it always;
//   - an allow rule that holds lifts it, for a dangerous tool only if the rule names
//     the tool itself, not by a group or a pattern.
//
// # In doubt
//
// Rules that deny or ask reach further than rules that allow: they also know a tool
// by its aliases, match a path in any spelling that some tool or file system takes
// for the same, hold where a value has another type than the rule expects, and hold
// for a grant that overlaps with what they name. A rule that allows holds only if
// every part of the call is inside what it names.
//
// Matching arguments sees the text of a path and no links, folders searched or
// defaults of a tool. What must hold for files and addresses belongs into mounts and
// grants, which are checked when they are used.
package policy
