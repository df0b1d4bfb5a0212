// Package shellcommand says of a shell script, before it runs, whether it can only read,
// has to be asked about, or must not run at all. It looks at the syntax tree: every simple
// command in it is judged by itself, through wrappers such as env and xargs, in pipelines,
// substitutions, functions and scripts within the script, and the worst part decides.
//
// What is not known is asked about, so the tables here list what is harmless and not what
// is dangerous; what they call harmless may still be wrong. A Registry therefore takes
// everything but reading away from a call that runs because it can only read.
package shellcommand
