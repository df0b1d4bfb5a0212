//go:build !wasip1

package toolabi

import "os"

// Run runs the tool named in the arguments of the process, and ends the process.
func Run(tools map[string]Tool) {
	os.Exit(Main(tools, os.Args, os.Stdin, os.Stdout, os.Stderr))
}
