package procgroup

import "os/exec"

// Set does nothing: Windows has no process groups to end.
func Set(*exec.Cmd) {}

// Kill ends cmd, which was started. Its children stay.
func Kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
