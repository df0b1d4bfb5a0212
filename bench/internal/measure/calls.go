package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/job"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// Row is the result of one peer's consecutive calls.
type Row struct {
	// For is the guest of the comparison.
	For  string    `json:"for"`
	Peer peer.Name `json:"peer"`
	Summary
	// Missing is the reason why no calls were measured, or empty.
	Missing string `json:"missing,omitempty"`
}

// contender is a peer that is being measured.
type contender struct {
	peer.Peer
	row       *Row
	durations []time.Duration
}

// Calls measures the peers of one comparison in rounds. In each round, every peer has one turn, in
// a random order. The first calls of a peer are not measured, because the peer may compile, load
// and make its snapshot during them. Calls closes the peers.
func Calls(ctx context.Context, guest string, peers []peer.Peer, p Plan, progress func(string)) []Row {
	rows := make([]Row, len(peers))
	var running []*contender
	for i, candidate := range peers {
		rows[i] = Row{For: guest, Peer: candidate.Name()}
		progress("prepare " + candidate.Name().String())
		defer candidate.Close()
		c := &contender{Peer: candidate, row: &rows[i]}
		if err := c.prepare(ctx); err != nil {
			rows[i].Missing = reason(err)
			continue
		}
		running = append(running, c)
	}
	// The order is random, but the same in every run.
	order := rand.New(rand.NewPCG(1, 2))
	for round := range p.Rounds {
		progress(fmt.Sprintf("%s: round %d of %d", guest, round+1, p.Rounds))
		order.Shuffle(len(running), func(i, j int) { running[i], running[j] = running[j], running[i] })
		for _, c := range running {
			if c.row.Missing != "" {
				continue
			}
			// Collect the garbage of the previous peer first.
			runtime.GC()
			if err := c.turn(ctx, p.Slice); err != nil {
				c.row.Missing = reason(err)
			}
		}
	}
	for _, c := range running {
		if c.row.Missing == "" {
			c.row.Summary = Summarise(c.durations)
		}
	}
	return rows
}

// reason returns why a peer is not measured.
func reason(err error) string {
	var missing *peer.Unavailable
	if errors.As(err, &missing) {
		return missing.Reason
	}
	return "failed: " + err.Error()
}

// warmUps is the number of calls that a peer makes before the first measured call.
const warmUps = 5

func (c *contender) prepare(ctx context.Context) error {
	if err := c.Prepare(ctx); err != nil {
		return err
	}
	for range warmUps {
		if err := c.once(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *contender) once(ctx context.Context) error {
	output, err := c.Call(ctx, job.Input())
	if err != nil {
		return err
	}
	return job.Check(job.Input(), output)
}

// turn makes calls for about the duration slice, and at least one call.
func (c *contender) turn(ctx context.Context, slice time.Duration) error {
	// Two calls that are not measured load the peer into the processor's caches again.
	for range 2 {
		if err := c.once(ctx); err != nil {
			return err
		}
	}
	if timed, ok := c.Peer.(peer.SelfTimed); ok {
		return c.turnSelfTimed(ctx, timed, slice)
	}
	input := job.Input()
	var output []byte
	var err error
	start := time.Now()
	last := start
	for last.Sub(start) < slice {
		if output, err = c.Call(ctx, input); err != nil {
			return err
		}
		now := time.Now()
		c.durations = append(c.durations, now.Sub(last))
		last = now
	}
	return job.Check(input, output)
}

func (c *contender) turnSelfTimed(ctx context.Context, timed peer.SelfTimed, slice time.Duration) error {
	n := 1
	if len(c.durations) > 0 {
		n = max(1, int(slice/max(1, c.durations[len(c.durations)-1])))
	}
	durations, output, err := timed.Time(ctx, job.Input(), n)
	if err != nil {
		return err
	}
	c.durations = append(c.durations, durations...)
	return job.Check(job.Input(), output)
}
