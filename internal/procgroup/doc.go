// Package procgroup ends a program together with the programs that it has started.
package procgroup
