package abi

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// MaxSubscriptions limits the subscriptions of one poll_oneoff. Programs wait for a clock and a few
// descriptors.
const MaxSubscriptions = 64

// Layout of subscriptions and events; see
// https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#subscription
const (
	subscriptionBytes = 48
	eventBytes        = 32

	eventClock   = 0
	eventFDRead  = 1
	eventFDWrite = 2

	clockMonotonic = 1
	flagAbsolute   = 1
)

// pollOneoff waits for the first of several events. Every file and stream of a guest is always
// ready, so a poll that includes one does not wait. Otherwise it sleeps until the earliest time, as
// long as the call may run.
func (e *Engine) pollOneoff(_ context.Context, mod api.Module, stack []uint64) {
	c := e.onGuest(mod).current.Load()
	in, out, n, result := uint32(stack[0]), uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	if n == 0 {
		stack[0] = wasiInval
		return
	}
	mem := mod.Memory()
	subscriptions, ok := mem.Read(in, n*subscriptionBytes)
	events, ok2 := mem.Read(out, n*eventBytes)
	if !ok || !ok2 {
		stack[0] = wasiFault
		return
	}
	polled, errno := parseSubscriptions(subscriptions, c.Bindings.Clock)
	if errno != wasiSuccess {
		stack[0] = errno
		return
	}
	wait := polled.earliest()
	if wait > 0 {
		ctx, release := c.waitContext()
		c.Bindings.Clock.Sleep(ctx, wait)
		release()
	}
	happened := polled.write(events, wait)
	stack[0] = wasiSuccess
	if !mem.WriteUint32Le(result, happened) {
		stack[0] = wasiFault
	}
}

// subscription is one event to wait for.
type subscription struct {
	userdata uint64
	kind     byte
	wait     time.Duration // time until the event; 0 if it is ready
}

type subscriptions []subscription

// parseSubscriptions copies the subscriptions from the guest's memory.
func parseSubscriptions(b []byte, clock hostfuncs.Clock) (subscriptions, uint64) {
	var list subscriptions
	for ; len(b) > 0; b = b[subscriptionBytes:] {
		s := subscription{userdata: binary.LittleEndian.Uint64(b), kind: b[8]}
		switch s.kind {
		case eventFDRead, eventFDWrite:
		case eventClock:
			timeout := binary.LittleEndian.Uint64(b[24:])
			switch binary.LittleEndian.Uint16(b[40:]) {
			case 0:
			case flagAbsolute:
				timeout -= min(timeout, reading(clock, binary.LittleEndian.Uint32(b[16:])))
			default:
				return nil, wasiInval
			}
			s.wait = time.Duration(min(timeout, math.MaxInt64))
		default:
			return nil, wasiInval
		}
		list = append(list, s)
	}
	return list, wasiSuccess
}

// reading returns the time of a guest's clock in nanoseconds.
func reading(clock hostfuncs.Clock, id uint32) uint64 {
	if id == clockMonotonic {
		return uint64(clock.Elapsed())
	}
	return uint64(max(0, clock.Now().UnixNano()))
}

// earliest returns the time until the first event.
func (l subscriptions) earliest() time.Duration {
	return slices.MinFunc(l, func(a, b subscription) int { return cmp.Compare(a.wait, b.wait) }).wait
}

// write stores the events that have happened after a wait, and returns their number.
func (l subscriptions) write(b []byte, waited time.Duration) uint32 {
	n := uint32(0)
	for _, s := range l {
		if s.wait > waited {
			continue
		}
		event := b[n*eventBytes : (n+1)*eventBytes]
		clear(event)
		binary.LittleEndian.PutUint64(event, s.userdata)
		event[10] = s.kind
		n++
	}
	return n
}
