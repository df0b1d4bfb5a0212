package peer_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/wasmtool/wasmtool/bench/internal/job"
	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

func setup(t *testing.T) peer.Setup {
	t.Helper()
	guests, err := filepath.Abs("../../out/guests")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(guests); err != nil {
		t.Skip("the guests are missing; guests/build.sh builds them")
	}
	return peer.Setup{Guests: guests, Cache: filepath.Join(guests, "../cache"), Warm: job.Input(), MaxInstances: 4}
}

// prepare prepares a peer. It skips the test if this machine does not have the system.
func prepare(t *testing.T, p peer.Peer) {
	t.Helper()
	var missing *peer.Unavailable
	switch err := p.Prepare(t.Context()); {
	case errors.As(err, &missing):
		t.Skip(missing.Reason)
	case err != nil:
		t.Fatal(err)
	}
}

// All peers must do the same job: every peer gives the right answer to every input, on the first
// call and on later ones.
func TestPeersAgree(t *testing.T) {
	s := setup(t)
	inputs := [][]byte{
		job.Input(),
		[]byte(`{"text":""}`),
		[]byte(`{"text":"two lines\nand a \"quote\"\n"}`),
		[]byte(`{ "text" : "caf\u00e9 \ud83d\ude00 żółć\t\\end" }`),
		job.Input(),
	}
	for _, guest := range peer.Guests() {
		for _, p := range peer.For(guest, s) {
			t.Run(p.Name().String(), func(t *testing.T) {
				defer func() {
					if err := p.Close(); err != nil {
						t.Error(err)
					}
				}()
				prepare(t, p)
				for _, input := range inputs {
					output, err := p.Call(t.Context(), input)
					if err == nil {
						err = job.Check(input, output)
					}
					if err != nil {
						t.Errorf("%s: %v", input, err)
					}
				}
				if timed, ok := p.(peer.SelfTimed); ok {
					times, output, err := timed.Time(t.Context(), job.Input(), 3)
					if err == nil {
						err = job.Check(job.Input(), output)
					}
					if err != nil || len(times) != 3 {
						t.Errorf("Time: %v, %d times", err, len(times))
					}
				}
			})
		}
	}
}

// The test must notice a guest that fails instead of answering.
func TestPeersReportFailure(t *testing.T) {
	s := setup(t)
	for _, guest := range peer.Guests() {
		for _, p := range peer.For(guest, s) {
			t.Run(p.Name().String(), func(t *testing.T) {
				defer p.Close()
				prepare(t, p)
				if output, err := p.Call(t.Context(), []byte(`{}`)); err == nil {
					t.Errorf("no error for an input without text, but %q", output)
				}
			})
		}
	}
}
