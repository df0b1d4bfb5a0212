// Package shellcommand decides about a shell script before it runs: whether it can only read, needs
// approval, or must not run at all. It checks the syntax tree. Every simple command is classified
// by itself, including commands within wrappers such as env and xargs, pipelines, substitutions,
// functions and nested scripts, and the worst part decides.
//
// Unknown commands need approval, so the tables list what is harmless and not what is dangerous.
// The tables may still be wrong. If a call runs only because its script can only read, a Registry
// therefore withholds every permission except reading.
package shellcommand
