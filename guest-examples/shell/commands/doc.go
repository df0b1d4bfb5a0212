// Package commands implements the programs of the sandbox's shell, such as cat, grep and sort, as
// functions, since the sandbox has no processes. For supported options, output and exit status are
// the same as GNU's in the C locale. Patterns know the letters of all scripts, as in GNU's C.UTF-8;
// but accents and vowel signs belong to \w and [:alpha:], and the no-break space to \s, as in
// ripgrep. The error for an unsupported option names the option. The help of a command lists other
// differences.
package commands
