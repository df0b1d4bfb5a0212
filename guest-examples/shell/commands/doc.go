// Package commands has the programs that the shell of the sandbox knows, such as
// cat, grep and sort, written as functions: there are no processes in it. What
// they print, and their exit status, is that of GNU's in the C locale, as far as
// an option is supported; an option that is not is refused by name. Where they
// cannot be the same, the text of help for the command says so.
package commands
