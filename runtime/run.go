package runtime

import (
	"errors"
	"runtime/debug"
)

// run serves a call, on an instance that waits for it or on a new one. The error is the
// engine's; see callState.ending.
func (c *compiled) run(s *callState) (err error) {
	defer s.end()
	i, set := c.pool.take(s)
	if i != nil && s.limits.Fuel > 0 && i.startFuel > s.limits.Fuel {
		c.pool.put(i) // the call ends in the start, as if it were the first
		i = nil
	}
	if i != nil {
		i.begin(s)
		return c.serve(i, s)
	}
	err = c.serveNew(set, s)
	if errors.Is(err, errCold) {
		s.restart()
		err = c.serveNew(set, s)
	}
	return err
}

// serveNew serves a call on a new instance.
func (c *compiled) serveNew(set *set, s *callState) (err error) {
	defer c.recovered(&err)
	i, err := c.instantiate(s)
	if err != nil {
		return err
	}
	i.set = set
	i.wanted = set != nil && set.wants()
	if err := c.tryStart(i, s); err != nil {
		return err
	}
	return c.serve(i, s)
}

// tryStart starts an instance, with a panic in it as an error. One that does not start is
// finished.
func (c *compiled) tryStart(i *instance, s *callState) (err error) {
	err = errEnginePanic // for a listener that ends the goroutine (runtime.Goexit): nothing returns then
	defer func() {
		if err != nil {
			i.finish(s, err)
		}
	}()
	defer c.recovered(&err)
	return i.start(s)
}

// serve makes the call on an instance that is ready for it.
func (c *compiled) serve(i *instance, s *callState) (err error) {
	err = errEnginePanic // as in tryStart
	defer func() { i.finish(s, err) }()
	defer c.recovered(&err)
	return i.call(s)
}

// recovered turns a panic into an error.
func (c *compiled) recovered(err *error) {
	if p := recover(); p != nil {
		c.r.log.Error("panic in the engine", "module", c.digest, "panic", p, "stack", string(debug.Stack()))
		*err = errEnginePanic
	}
}

// finish measures a call and makes its instance wait for another, or closes it.
func (i *instance) finish(s *callState, err error) {
	s.fuel.settle(int64(i.fuel.Get()))
	s.measure(i)
	if i.reusable(s, err) && i.tryReset() == nil {
		i.set.pool.put(i)
		return
	}
	i.close()
}

// tryReset is reset, with a panic in it as an error: the call is over and has its result.
func (i *instance) tryReset() (err error) {
	defer i.c.recovered(&err)
	return i.reset()
}
