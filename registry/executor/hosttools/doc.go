// Package hosttools has the definitions of tools whose work the embedding program does,
// because it needs what no sandbox has: other sessions, agents, channels, a browser, a
// schedule. A tool is there only when the program has a [Backend] for it, or hands its
// calls to a desk of package delegated:
//
//	spec, executor, err := hosttools.Define("message", send)
//
//	spec, err := hosttools.Spec("cron")
//	...
//	spec, executor, err := desk.Define(spec, delegated.Later)
//
// Names and parameters are those that models know from elsewhere, and the groups and
// profiles of package policy have them.
package hosttools
