//go:build !wasip1

package toolabi

import "os"

// Run runs the tool that the arguments of the process name, and ends the process.
func Run(tools map[string]Tool) {
	os.Exit(Main(tools, os.Args, os.Stdin, os.Stdout, os.Stderr))
}
