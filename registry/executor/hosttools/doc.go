// Package hosttools has the definitions of tools that the embedding program carries out. They need
// something that no sandbox has: other sessions, agents, channels, a browser, or a schedule. A
// program registers such a tool if it has a [Backend] for it, or delegates its calls with package
// delegated:
//
//	spec, executor, err := hosttools.Define("message", send)
//
//	spec, err := hosttools.Spec("cron")
//	...
//	spec, executor, err := desk.Define(spec, delegated.Later)
//
// Models know these names and parameters from other agents. The groups and profiles of package
// policy contain the names.
package hosttools
