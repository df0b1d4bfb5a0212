package peer

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// nodeProgram creates instances in Node, as requested on its standard input.
//
//go:embed node.mjs
var nodeProgram []byte

// node is Node's own WASI in a long-running process, with a new instance for each call.
type node struct {
	common
	dir      string
	cmd      *exec.Cmd
	requests io.WriteCloser
	replies  *bufio.Reader
	stderr   bytes.Buffer
}

func newNode(c common) Peer { return &node{common: c} }

func (p *node) Prepare(context.Context) error {
	program, err := exec.LookPath("node")
	if err != nil {
		return unavailable("node is not installed")
	}
	if p.dir, err = os.MkdirTemp("", "wasmtool-bench-"); err != nil {
		return err
	}
	script := filepath.Join(p.dir, "node.mjs")
	if err := os.WriteFile(script, nodeProgram, 0o600); err != nil {
		return err
	}
	p.cmd = exec.Command(program, "--no-warnings", script, p.file(), p.name.Form, p.dir)
	p.cmd.Stderr = &p.stderr
	if p.requests, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.replies = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		p.cmd = nil
		return err
	}
	return nil
}

// Call makes one call. Its duration includes the request to the process.
func (p *node) Call(ctx context.Context, input []byte) ([]byte, error) {
	_, output, err := p.Time(ctx, input, 1)
	return output, err
}

func (p *node) Time(_ context.Context, input []byte, n int) ([]time.Duration, []byte, error) {
	request, err := json.Marshal(struct {
		Input string `json:"input"`
		Calls int    `json:"calls"`
	}{string(input), n})
	if err != nil {
		return nil, nil, err
	}
	if _, err := p.requests.Write(append(request, '\n')); err != nil {
		return nil, nil, fmt.Errorf("%w: %s", err, p.stderr.Bytes())
	}
	line, err := p.replies.ReadBytes('\n')
	if err != nil {
		return nil, nil, fmt.Errorf("node exited without an answer: %w", err)
	}
	var reply struct {
		Output string          `json:"output"`
		Nanos  []time.Duration `json:"nanos"`
		Error  string          `json:"error"`
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		return nil, nil, err
	}
	if reply.Error != "" {
		return nil, nil, fmt.Errorf("node: %s", reply.Error)
	}
	return reply.Nanos, []byte(reply.Output), nil
}

func (p *node) Close() error {
	if p.cmd != nil {
		p.requests.Close() // the process ends at the end of its input
		if err := p.cmd.Wait(); err != nil {
			return fmt.Errorf("%w: %s", err, p.stderr.Bytes())
		}
	}
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}
