package runtime

import "errors"

// errCold means that an instance is of no use because its warm-up failed.
var errCold = errors.New("the warm-up failed")

// warmUpFuel bounds a warm-up: about a second of running.
const warmUpFuel = 2_000_000_000

// warmUp makes the call that Call.Warm asks for. It fails with errCold when the guest
// does, which is then not warmed up again.
func (i *instance) warmUp(s *callState) error {
	if i.set == nil || len(s.call.Warm) == 0 || i.set.coldOnly.Load() {
		return nil
	}
	if s.cold {
		i.taintForNow("there was no room for its warm-up")
	}
	if i.tainted != "" {
		return nil // it serves this call only, and what it did to files is not done again
	}
	err := i.runWarmUp(s)
	switch {
	case !s.mayGoOn():
		return s.stopped()
	case err == nil:
		return nil
	case i.taintedForNow: // the next warm-up may have room
		s.cold = true
		return errCold
	}
	i.set.coldOnly.Store(true)
	i.c.r.log.Warn("the warm-up of the module fails; it is not warmed up", "module", i.c.digest)
	return errCold
}

// runWarmUp makes the call. Its limits are its own, but for the memory, which is one of
// those by which instances are told apart: one call must not decide for all whether they
// are warmed up.
func (i *instance) runWarmUp(s *callState) error {
	call := s.call
	call.Input = call.Warm
	fuel := uint64(warmUpFuel)
	if most := s.r.opts.MaxFuel; most > 0 {
		fuel = min(fuel, most)
	}
	w := newCallState(s.caller, s.r, call, Limits{Memory: s.limits.Memory, Fuel: fuel}.withDefaults())
	w.isWarmUp = true
	left := i.fuel.Get()
	i.fuel.Set(uint64(w.fuel.begin(0)))
	i.current.Store(w)
	err := i.call(w)
	i.current.Store(s)
	i.fuel.Set(left) // it counts for no call
	switch {
	case err != nil:
		return err
	case w.stopped() != nil:
		return w.stopped()
	case w.code != 0 || len(w.failure.data) > 0 || i.tainted != "":
		return errCold
	}
	return nil
}
