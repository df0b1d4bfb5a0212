package procgroup

import "os/exec"

// Set has no effect on Windows, which has no process groups that can be killed.
func Set(*exec.Cmd) {}

// Kill kills cmd, which must have been started. Its children continue to run.
func Kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
