// Package commands has the programs of the sandbox's shell, such as cat, grep and sort, as
// functions, since the sandbox has no processes. Output and exit status follow GNU's programs in
// the C locale, as far as an option is supported. Unsupported options are rejected by name. The
// help of a command lists other differences.
package commands
