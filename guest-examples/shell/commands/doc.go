// Package commands implements the programs of the sandbox's shell, such as cat, grep and sort, as
// functions, since the sandbox has no processes. For supported options, output and exit status are
// the same as GNU's in the C locale. The error for an unsupported option names the option. The help
// of a command lists other differences.
package commands
