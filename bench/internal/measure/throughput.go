package measure

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/job"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// Load is the result of one peer with a number of concurrent callers.
type Load struct {
	Peer    peer.Name `json:"peer"`
	Callers int       `json:"callers"`
	// PerSecond is the number of successful calls per second.
	PerSecond float64 `json:"per_second"`
	Summary
	// Failed is the number of failed calls, and Failure the error of one of them.
	Failed  int    `json:"failed,omitempty"`
	Failure string `json:"failure,omitempty"`
	// Missing is the reason why no calls were measured.
	Missing string `json:"missing,omitempty"`
}

// LoadedPeers returns the peers that are measured with many callers.
func LoadedPeers() []peer.Name {
	var names []peer.Name
	for _, guest := range []string{"go", "c"} {
		names = append(names,
			peer.Name{Guest: guest, Form: peer.Reactor, System: peer.Wasmtool},
			peer.Name{Guest: guest, Form: peer.Reactor, System: peer.Fresh},
			peer.Name{Guest: guest, Form: peer.Reactor, System: peer.Wasmtime},
			peer.Name{Guest: guest, Form: peer.Extism, System: peer.ExtismFresh})
	}
	return names
}

// Throughput measures peers under load. Each round measures every peer with every number of
// callers. Throughput closes the peers.
func Throughput(ctx context.Context, peers []peer.Peer, p Plan, progress func(string)) []Load {
	loads := make([]Load, 0, len(peers)*len(p.Callers))
	var jobs []*loaded
	for _, candidate := range peers {
		progress("prepare " + candidate.Name().String())
		defer candidate.Close()
		c := &contender{Peer: candidate}
		err := c.prepare(ctx)
		var want []byte
		if err == nil {
			want, err = candidate.Call(ctx, job.Input())
		}
		for _, callers := range p.Callers {
			loads = append(loads, Load{Peer: candidate.Name(), Callers: callers})
			// The pointer stays valid, because the slice loads never exceeds its capacity.
			load := &loads[len(loads)-1]
			if err != nil {
				load.Missing = reason(err)
				continue
			}
			jobs = append(jobs, &loaded{Load: load, peer: candidate, want: want})
		}
	}
	for round := range p.LoadRounds {
		for _, j := range jobs {
			progress(fmt.Sprintf("%s: %d callers, round %d of %d", j.Peer, j.Callers, round+1, p.LoadRounds))
			j.run(ctx, p.Load)
		}
	}
	for _, j := range jobs {
		j.Summary = Summarise(j.durations)
		j.PerSecond = float64(j.N) / j.took.Seconds()
	}
	return loads
}

// loaded is a Load that is being measured.
type loaded struct {
	*Load
	peer      peer.Peer
	want      []byte
	took      time.Duration
	mu        sync.Mutex
	durations []time.Duration
}

// run lets all callers call for the duration d, and waits for the last calls.
func (l *loaded) run(ctx context.Context, d time.Duration) {
	var callers sync.WaitGroup
	start := time.Now()
	for range l.Callers {
		callers.Go(func() { l.caller(ctx, start.Add(d)) })
	}
	callers.Wait()
	l.took += time.Since(start)
}

const afterFailure = time.Millisecond

func (l *loaded) caller(ctx context.Context, until time.Time) {
	input := job.Input()
	var durations []time.Duration
	failed, failure := 0, ""
	for last := time.Now(); last.Before(until); {
		output, err := l.peer.Call(ctx, input)
		if err == nil && !bytes.Equal(output, l.want) {
			err = fmt.Errorf("the answer is %q, not %q", output, l.want)
		}
		now := time.Now()
		if err != nil {
			failed, failure = failed+1, err.Error()
			// After a failed call, the caller pauses before the next call.
			time.Sleep(afterFailure)
			now = time.Now()
		} else {
			durations = append(durations, now.Sub(last))
		}
		last = now
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.durations = append(l.durations, durations...)
	l.Failed += failed
	if failure != "" {
		l.Failure = failure
	}
}
