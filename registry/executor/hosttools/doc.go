// Package hosttools has the definitions of tools whose work the embedding program does, because
// no sandbox has what they need: other sessions, agents, channels, a browser, a schedule. A
// program registers such a tool if it has a [Backend] for it, or delegates its calls with
// package delegated:
//
//	spec, executor, err := hosttools.Define("message", send)
//
//	spec, err := hosttools.Spec("cron")
//	...
//	spec, executor, err := desk.Define(spec, delegated.Later)
//
// Models know these names and parameters from other agents, and the groups and profiles of package
// policy contain the names.
package hosttools
