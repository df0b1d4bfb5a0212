//go:build !windows

package cli

// controllingTerminal is the terminal of the process, wherever its streams go.
const controllingTerminal = "/dev/tty"
