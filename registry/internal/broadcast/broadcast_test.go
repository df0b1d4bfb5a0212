package broadcast

import (
	"sync"
	"testing"
)

func everything(int) bool { return true }

func drain(l *Listener[int]) (got []int) {
	for e := range l.Events() {
		got = append(got, e)
	}
	return got
}

func TestHub(t *testing.T) {
	var h Hub[int]
	if h.Publish(0); h.HasListeners() {
		t.Error("a new hub has listeners")
	}
	all, odd := h.Listen(10, everything), h.Listen(10, func(e int) bool { return e%2 == 1 })
	for i := range 5 {
		h.Publish(i)
	}
	odd.Close()
	odd.Close()
	h.Publish(5)
	h.Close()
	h.Publish(7)
	if got := drain(all); len(got) != 6 || got[0] != 0 || got[5] != 5 {
		t.Errorf("got %v", got)
	}
	if got := drain(odd); len(got) != 2 || got[1] != 3 {
		t.Errorf("got %v", got)
	}
	if got := drain(h.Listen(1, everything)); len(got) > 0 || h.HasListeners() {
		t.Errorf("a closed hub published %v", got)
	}
}

// A listener that does not read loses events and blocks no other listener.
func TestSlowListenerBlocksNoOther(t *testing.T) {
	var h Hub[int]
	slow, quick := h.Listen(2, everything), h.Listen(100, everything)
	for i := range 10 {
		h.Publish(i)
	}
	h.Close()
	if got := drain(slow); len(got) != 2 || got[1] != 1 || slow.Dropped() != 8 {
		t.Errorf("got %v, dropped %d", got, slow.Dropped())
	}
	if got := drain(quick); len(got) != 10 || quick.Dropped() != 0 {
		t.Errorf("got %v, dropped %d", got, quick.Dropped())
	}
}

func TestConcurrentUse(t *testing.T) {
	var h Hub[int]
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 200 {
				h.Publish(i)
			}
		})
		wg.Go(func() {
			for range 50 {
				l := h.Listen(1, everything)
				select {
				case <-l.Events():
				default:
				}
				l.Close()
			}
		})
	}
	wg.Wait()
	if h.HasListeners() {
		t.Error("the closed hub has listeners")
	}
}
