package measure

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/bench/internal/job"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// rightAnswer is the answer to job.Input.
const rightAnswer = `{"lines":1,"words":11,"bytes":56,"letters":44,"longest":5}`

// fake is a peer whose behaviour a test defines.
type fake struct {
	system  string
	prepare error
	call    func(n int64) (string, error) // n counts from 1
	calls   atomic.Int64
	closed  bool
}

func (f *fake) Name() peer.Name               { return peer.Name{Guest: "g", Form: "f", System: f.system} }
func (f *fake) Prepare(context.Context) error { return f.prepare }
func (f *fake) Close() error                  { f.closed = true; return nil }

func (f *fake) Call(context.Context, []byte) ([]byte, error) {
	output, err := f.call(f.calls.Add(1))
	return []byte(output), err
}

// selfTimed is a fake that reports the durations of its calls.
type selfTimed struct{ *fake }

func (s selfTimed) Time(ctx context.Context, input []byte, n int) ([]time.Duration, []byte, error) {
	output, err := s.Call(ctx, input)
	durations := make([]time.Duration, n)
	for i := range durations {
		durations[i] = time.Hour
	}
	return durations, output, err
}

func right(int64) (string, error) { return rightAnswer, nil }

func silent(string) {}

func TestCalls(t *testing.T) {
	good := &fake{system: "good", call: right}
	timed := &fake{system: "timed", call: right}
	absent := &fake{system: "absent", prepare: &peer.Unavailable{Reason: "not installed"}}
	broken := &fake{system: "broken", prepare: errors.New("no module")}
	wrong := &fake{system: "wrong", call: func(int64) (string, error) { return "{}", nil }}
	later := &fake{system: "later", call: func(n int64) (string, error) {
		if n > 10 {
			return "", errors.New("gone")
		}
		return rightAnswer, nil
	}}
	peers := []peer.Peer{good, selfTimed{timed}, absent, broken, wrong, later}
	rows := Calls(t.Context(), "guest", peers, Plan{Rounds: 20, Slice: time.Nanosecond}, silent)

	for i, want := range []string{"", "", "not installed", "failed: no module", "failed: the answer is", "failed: gone"} {
		row := rows[i]
		if row.For != "guest" || row.Peer != peers[i].Name() {
			t.Errorf("row %d is of %v for %s", i, row.Peer, row.For)
		}
		if row.Missing != want && (want == "" || !strings.HasPrefix(row.Missing, want)) {
			t.Errorf("%s: the reason is %q, want %q", row.Peer.System, row.Missing, want)
		}
		if measured := row.N > 0; measured != (want == "") {
			t.Errorf("%s: %d calls, the reason is %q", row.Peer.System, row.N, row.Missing)
		}
	}
	if rows[0].N != 20 {
		t.Errorf("%d calls in 20 turns of no length", rows[0].N)
	}
	if rows[1].P50 != time.Hour {
		t.Errorf("a peer that times itself has a median of %v, want its own %v", rows[1].P50, time.Hour)
	}
	for _, f := range []*fake{good, timed, absent, broken, wrong, later} {
		if !f.closed {
			t.Errorf("%s was not closed", f.system)
		}
	}
}

func TestThroughput(t *testing.T) {
	moody := &fake{system: "moody", call: func(n int64) (string, error) {
		if n > 20 && n%2 == 0 {
			return "", errors.New("too busy")
		}
		return rightAnswer, nil
	}}
	absent := &fake{system: "absent", prepare: &peer.Unavailable{Reason: "not installed"}}
	plan := Plan{Callers: []int{1, 4}, Load: 50 * time.Millisecond, LoadRounds: 2}
	loads := Throughput(t.Context(), []peer.Peer{moody, absent}, plan, silent)
	if len(loads) != 4 {
		t.Fatalf("%d loads of two peers with two numbers of callers", len(loads))
	}
	for i, l := range loads {
		if want := plan.Callers[i%2]; l.Callers != want {
			t.Errorf("load %d has %d callers, want %d", i, l.Callers, want)
		}
		if i >= 2 {
			if l.Missing != "not installed" || l.N != 0 {
				t.Errorf("a missing peer has %d calls, the reason is %q", l.N, l.Missing)
			}
			continue
		}
		if l.N == 0 || l.PerSecond <= 0 || l.Failed == 0 || l.Failure != "too busy" {
			t.Errorf("%d callers: %+v", l.Callers, l)
		}
	}
}

// The other tests are valid only if the answer of the fake is right.
func TestFakeAnswerIsRight(t *testing.T) {
	if err := job.Check(job.Input(), []byte(rightAnswer)); err != nil {
		t.Fatal(err)
	}
}

func TestMeanPrice(t *testing.T) {
	prices := []Price{
		{Guest: "c", Ratio: map[peer.Variant]float64{peer.Metered: 1}},
		{Guest: "c", Ratio: map[peer.Variant]float64{peer.Metered: 4}},
		{Guest: "go", Ratio: map[peer.Variant]float64{peer.Metered: 2}},
		{Guest: "go", Missing: "failed"},
	}
	for _, test := range []struct {
		guest    string
		mean     float64
		measured int
	}{{"c", 2, 2}, {"go", 2, 1}, {"rust", 0, 0}} {
		if mean, n := MeanPrice(prices, test.guest, peer.Metered); mean != test.mean || n != test.measured {
			t.Errorf("%s: %v of %d, want %v of %d", test.guest, mean, n, test.mean, test.measured)
		}
	}
}
