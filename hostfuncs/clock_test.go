package hostfuncs

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

func TestFixedClockMovesOnWithEachReading(t *testing.T) {
	a, b := &fixedClock{}, &fixedClock{}
	if x, y := a.Now(), b.Now(); !x.Equal(y) {
		t.Errorf("two calls start at %v and %v", x, y)
	}
	if x, y := a.Now(), a.Now(); !y.After(x) {
		t.Errorf("the clock stood still at %v", x)
	}
	before := a.Elapsed()
	a.Sleep(context.Background(), time.Hour)
	if got := a.Elapsed() - before; got < time.Hour {
		t.Errorf("an hour's sleep moved the clock by %v", got)
	}
}

// TestClockOfServices checks that, if the clock is granted, a call sees the time in Services.Now
// and does not wait when it sleeps. A call without the clock sees the usual deterministic time.
func TestClockOfServices(t *testing.T) {
	at := time.Date(2030, time.May, 4, 3, 2, 1, 0, time.UTC)
	for _, tt := range []struct {
		granted bool
		start   time.Time
	}{{true, at}, {false, fixedEpoch}} {
		b, err := Bind(capability.Grant{Clock: tt.granted}, files.Options{}, Services{Now: at})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		if start, fixed := b.FixedClock(); !fixed || !start.Equal(tt.start) {
			t.Errorf("granted %v: the clock is fixed: %v, and starts at %v", tt.granted, fixed, start)
		}
		first := tt.start
		if !tt.granted {
			first = first.Add(fixedStep)
		}
		if got := b.Clock.Now(); !got.Equal(first) {
			t.Errorf("granted %v: got %v, want %v", tt.granted, got, first)
		}
		for range time.Second / fixedStep {
			b.Clock.Now()
		}
		if got := b.Clock.Now(); !got.After(first) {
			t.Errorf("granted %v: the clock stands still at %v", tt.granted, got)
		}
		b.Clock.Sleep(t.Context(), 24*time.Hour)
		if got := b.Clock.Now().Sub(tt.start); got < 24*time.Hour {
			t.Errorf("a day's sleep moved the clock by %v", got)
		}
	}
}

func TestFixedClockEndsAtTheEndOfTime(t *testing.T) {
	c := &fixedClock{}
	last := c.Elapsed()
	for range 3 {
		c.Sleep(context.Background(), math.MaxInt64)
		if now := c.Elapsed(); now < last {
			t.Fatalf("the clock went back from %v to %v", last, now)
		} else {
			last = now
		}
	}
}

func TestRealClockSleepHeedsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newRealClock()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		c.Sleep(ctx, time.Hour)
		if got := time.Since(start); got != time.Second {
			t.Errorf("a sleep of an hour under a deadline of 1s took %v", got)
		}
		start = time.Now()
		c.Sleep(t.Context(), 2*time.Second)
		if got := time.Since(start); got != 2*time.Second {
			t.Errorf("a sleep of 2s took %v", got)
		}
		c.Sleep(t.Context(), -1)
	})
}

func TestRealClockIsCoarse(t *testing.T) {
	c := newRealClock()
	if ns := c.Now().UnixNano() % int64(clockResolution); ns != 0 {
		t.Errorf("the wall clock resolves below %v", clockResolution)
	}
	if d := c.Elapsed() % clockResolution; d != 0 {
		t.Errorf("the monotonic clock resolves below %v", clockResolution)
	}
}

func TestFixedRandomRepeats(t *testing.T) {
	var a, b [64]byte
	for _, buf := range [][]byte{a[:], b[:]} {
		if _, err := new(fixedRandom).Read(buf); err != nil {
			t.Fatal(err)
		}
	}
	if a != b {
		t.Error("two calls read different streams")
	}
}

// A seed replaces real randomness only. Without the grant, a call reads the usual stream.
func TestSeedChoosesTheStream(t *testing.T) {
	read := func(granted bool, seed uint64) (first [32]byte) {
		b, err := Bind(capability.Grant{Random: granted}, files.Options{}, Services{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		if got, fixed := b.FixedRandom(); fixed != (!granted || seed != 0) || granted && got != seed {
			t.Errorf("granted %v, seed %d: FixedRandom returns %d, %v", granted, seed, got, fixed)
		}
		if _, err := b.Random.Read(first[:]); err != nil {
			t.Fatal(err)
		}
		return first
	}
	if first := read(true, 7); read(true, 7) != first || read(true, 8) == first {
		t.Error("the seed does not decide the stream")
	}
	if first := read(true, 0); read(true, 0) == first {
		t.Error("the seed 0 gives a fixed stream")
	}
	if fixed := read(false, 0); read(false, 7) != fixed || read(true, 7) == fixed {
		t.Error("the stream of a call without the grant depends on the seed")
	}
}

func TestClocksNeverReadZero(t *testing.T) {
	for name, clock := range map[string]Clock{"real": newRealClock(), "fixed": &fixedClock{}} {
		if got := clock.Elapsed(); got <= 0 {
			t.Errorf("the first reading of the %s clock is %v", name, got)
		}
	}
}
