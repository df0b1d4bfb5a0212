// Package shellcommand decides about a shell script before it runs: whether it can only read, needs
// approval, or must not run at all. It checks the syntax tree. Every simple command is classified
// by itself, including commands within wrappers such as env and xargs, pipelines, substitutions,
// functions and nested scripts, and the worst part decides.
//
// Unknown commands need approval, so the tables list what is harmless and not what is dangerous.
// The tables may still be wrong. A Registry therefore takes every permission except reading away
// from a call that runs because its script can only read.
package shellcommand
