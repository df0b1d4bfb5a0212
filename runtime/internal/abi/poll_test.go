package abi

import (
	"encoding/binary"
	"reflect"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// steadyClock always shows the same time.
type steadyClock struct{ hostfuncs.Clock }

func (steadyClock) Now() time.Time         { return time.Unix(100, 0) }
func (steadyClock) Elapsed() time.Duration { return 10 * time.Second }

func subscribe(userdata uint64, kind byte, clock uint32, timeout time.Duration, flags uint16) []byte {
	b := make([]byte, subscriptionBytes)
	binary.LittleEndian.PutUint64(b, userdata)
	b[8] = kind
	binary.LittleEndian.PutUint32(b[16:], clock)
	binary.LittleEndian.PutUint64(b[24:], uint64(timeout))
	binary.LittleEndian.PutUint16(b[40:], flags)
	return b
}

func TestPollWaitsForFirstEvent(t *testing.T) {
	type event struct {
		userdata uint64
		kind     byte
	}
	read := subscribe(7, eventFDRead, 0, 0, 0)
	tests := []struct {
		name   string
		in     [][]byte
		wait   time.Duration
		events []event
		errno  uint64
	}{
		{"a time to wait", [][]byte{subscribe(1, eventClock, 1, time.Second, 0)}, time.Second, []event{{1, eventClock}}, 0},
		{"the earlier of two", [][]byte{subscribe(1, eventClock, 1, 2*time.Second, 0), subscribe(2, eventClock, 0, time.Second, 0)}, time.Second, []event{{2, eventClock}}, 0},
		{"a time on the wall", [][]byte{subscribe(1, eventClock, 0, 103*time.Second, flagAbsolute)}, 3 * time.Second, []event{{1, eventClock}}, 0},
		{"a time on the monotonic clock", [][]byte{subscribe(1, eventClock, 1, 11*time.Second, flagAbsolute)}, time.Second, []event{{1, eventClock}}, 0},
		{"a time that has passed", [][]byte{subscribe(1, eventClock, 1, time.Second, flagAbsolute)}, 0, []event{{1, eventClock}}, 0},
		{"what is ready does not wait", [][]byte{subscribe(1, eventClock, 1, time.Second, 0), read}, 0, []event{{7, eventFDRead}}, 0},
		{"the end of time", [][]byte{subscribe(1, eventClock, 1, -1, 0)}, 1<<63 - 1, []event{{1, eventClock}}, 0},
		{"unknown flags", [][]byte{subscribe(1, eventClock, 1, 0, 2)}, 0, nil, wasiInval},
		{"an unknown kind", [][]byte{subscribe(1, 3, 0, 0, 0)}, 0, nil, wasiInval},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var in []byte
			for _, s := range tt.in {
				in = append(in, s...)
			}
			polled, errno := parseSubscriptions(in, steadyClock{})
			if errno != tt.errno {
				t.Fatalf("got the error number %d, want %d", errno, tt.errno)
			}
			if errno != wasiSuccess {
				return
			}
			wait := polled.earliest()
			if wait != tt.wait {
				t.Errorf("waits %v, want %v", wait, tt.wait)
			}
			out := make([]byte, len(tt.in)*eventBytes)
			var events []event
			for i := range polled.write(out, wait) {
				e := out[i*eventBytes:]
				events = append(events, event{binary.LittleEndian.Uint64(e), e[10]})
			}
			if !reflect.DeepEqual(events, tt.events) {
				t.Errorf("got %v, want %v", events, tt.events)
			}
		})
	}
}
