package measure

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// FirstCall is the time of the command line from process start to result, with nothing in the
// cache.
type FirstCall struct {
	Tool string `json:"tool"`
	Summary
	Missing string `json:"missing,omitempty"`
}

// firstCalls has a call for each module of built-in tools.
var firstCalls = [][]string{
	{"calculator", "expression=1+1"},
	{"todo", `todos:=[]`, "--allow", "kv:write"},
	{"read", "file_path=a.txt"},
	{"convert", "text={}", "from=json", "to=yaml"},
	{"web_search"},
	{"bash", "command=ls; cat a.txt | head -1"},
}

// FirstCalls measures the first calls of built-in tools. The tools take turns.
func FirstCalls(ctx context.Context, s peer.Setup, p Plan, progress func(string)) []FirstCall {
	progress("the first call of built-in tools")
	results := make([]FirstCall, len(firstCalls))
	durations := make([][]time.Duration, len(firstCalls))
	for i, argv := range firstCalls {
		results[i].Tool = argv[0]
	}
	for range max(2, p.Starts/4) {
		for i, argv := range firstCalls {
			took, err := firstCall(ctx, s, argv)
			durations[i] = append(durations[i], took)
			if err != nil {
				results[i].Missing = reason(err)
			}
		}
	}
	for i := range results {
		if results[i].Missing == "" {
			results[i].Summary = Summarise(durations[i])
		}
	}
	return results
}

// firstCall runs a tool in a new directory with an empty cache. web_search runs its examples, which
// need no network.
func firstCall(ctx context.Context, s peer.Setup, argv []string) (time.Duration, error) {
	dir, err := os.MkdirTemp("", "wasmtool-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello\n"), 0o600); err != nil {
		return 0, err
	}
	args := append([]string{"run"}, argv...)
	if argv[0] == "web_search" {
		args = []string{"test", argv[0]}
	}
	var stderr bytes.Buffer
	c := exec.CommandContext(ctx, filepath.Join(s.Guests, "wasmtool"), append(args, "--cache", filepath.Join(dir, "cache"))...)
	c.Dir, c.Stderr = dir, &stderr
	start := time.Now()
	if err := c.Run(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return time.Since(start), nil
}
