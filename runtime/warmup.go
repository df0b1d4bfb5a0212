package runtime

import "errors"

// errCold means that an instance is of no use because its warm-up failed.
var errCold = errors.New("the warm-up failed")

// warmUp makes the call that Call.Warm asks for. It fails with errCold when the guest
// does, which is then not warmed up again.
func (i *instance) warmUp(s *callState) error {
	if i.set == nil || len(s.call.Warm) == 0 || i.set.coldOnly.Load() {
		return nil
	}
	call := s.call
	call.Input = call.Warm
	w := newCallState(s.caller, s.r, call, s.limits)
	w.isWarmUp = true
	left := i.fuel.Get()
	i.fuel.Set(uint64(w.fuel.begin(0)))
	i.current.Store(w)
	err := i.call(w)
	i.current.Store(s)
	i.fuel.Set(left) // it counts for no call
	if !s.mayGoOn() {
		return s.stopped()
	}
	if err == nil && w.code == 0 && len(w.failure.data) == 0 && w.stopped() == nil && i.tainted == "" {
		return nil
	}
	i.set.coldOnly.Store(true)
	i.c.r.log.Warn("the warm-up of the module fails; it is not warmed up", "module", i.c.digest)
	return errCold
}
