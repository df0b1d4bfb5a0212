package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/job"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// Start is the time of the command line from process start to result, with compiled code in its
// cache.
type Start struct {
	Guest string `json:"guest"`
	Form  string `json:"form"`
	Summary
	Missing string `json:"missing,omitempty"`
}

// starter runs the command line on one tool.
type starter struct {
	*Start
	argv      []string
	durations []time.Duration
}

// Starts measures 'wasmtool run', with a process for each call.
func Starts(ctx context.Context, s peer.Setup, p Plan, progress func(string)) []Start {
	progress("process start to result")
	dir, err := os.MkdirTemp("", "wasmtool-bench-")
	if err != nil {
		return []Start{{Missing: reason(err)}}
	}
	defer os.RemoveAll(dir)

	results := make([]Start, 0, 2*len(peer.Guests()))
	var running []*starter
	for _, guest := range peer.Guests() {
		for _, form := range []string{peer.Reactor, peer.Command} {
			results = append(results, Start{Guest: guest, Form: form})
			// the pointer stays valid, because the slice results never exceeds its capacity
			r := &starter{Start: &results[len(results)-1]}
			if err := r.prepare(ctx, s, dir); err != nil {
				r.Missing = reason(err)
				continue
			}
			running = append(running, r)
		}
	}
	for range p.Starts {
		for _, r := range running {
			start := time.Now()
			err := r.once(ctx)
			r.durations = append(r.durations, time.Since(start))
			if err != nil {
				r.Missing = reason(err)
			}
		}
	}
	for _, r := range running {
		if r.Missing == "" {
			r.Summary = Summarise(r.durations)
		}
	}
	return results
}

// prepare writes the tool and runs it once to fill the cache.
func (r *starter) prepare(ctx context.Context, s peer.Setup, dir string) error {
	tool, err := peer.WriteTool(filepath.Join(dir, r.Guest+"_"+r.Form),
		filepath.Join(s.Guests, r.Guest+"_"+r.Form+".wasm"), r.Form)
	if err != nil {
		return err
	}
	r.argv = []string{
		filepath.Join(s.Guests, "wasmtool"), "run", filepath.Join(tool, "tool.toml"),
		"--cache", filepath.Join(dir, "cache"), "--input", string(job.Input()),
	}
	return r.once(ctx)
}

func (r *starter) once(ctx context.Context) error {
	var stderr bytes.Buffer
	c := exec.CommandContext(ctx, r.argv[0], r.argv[1:]...)
	c.Stderr = &stderr
	output, err := c.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	// The command line indents JSON results; the guest writes them without spaces.
	var flat bytes.Buffer
	if err := json.Compact(&flat, output); err != nil {
		return err
	}
	return job.Check(job.Input(), flat.Bytes())
}
