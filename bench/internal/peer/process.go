package peer

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// process starts a native program for each call, directly or in bubblewrap, where it sees only
// itself and the system's libraries.
type process struct {
	common
	argv []string
}

func newProcess(c common) Peer { return &process{common: c} }

func (p *process) Prepare(ctx context.Context) error {
	p.argv = []string{p.file()}
	if p.name.System == Bubblewrap {
		bwrap, err := exec.LookPath("bwrap")
		if err != nil {
			return unavailable("bwrap is not installed")
		}
		p.argv = []string{
			bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv",
			"--ro-bind", p.setup.Guests, "/app", "--ro-bind", "/usr", "/usr",
			"--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
			"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp",
			"/app/" + filepath.Base(p.file()),
		}
		if out, err := exec.CommandContext(ctx, bwrap, "--unshare-all", "--ro-bind", "/", "/", "true").CombinedOutput(); err != nil {
			return unavailable("bwrap cannot create namespaces here: %s", bytes.TrimSpace(out))
		}
	}
	return nil
}

func (p *process) Call(ctx context.Context, input []byte) ([]byte, error) {
	var stderr bytes.Buffer
	c := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...)
	c.Stdin, c.Stderr = bytes.NewReader(input), &stderr
	output, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return output, nil
}

func (p *process) Close() error { return nil }
