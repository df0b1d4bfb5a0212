package pool

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// kind is the instances that saw the same while they started.
type kind struct {
	pool *Pool
	// tenant is the one whose call was the first of the kind.
	tenant string
	// last is when the kind was last asked for, in nanoseconds of Unix time.
	last atomic.Int64
	// calls counts them up to two: a kind that comes a second time is worth saving.
	calls atomic.Int32
	// refused says that its instances cannot be saved, and coldOnly that the warm-up
	// fails.
	refused, coldOnly atomic.Bool

	shards []shard

	mu    sync.Mutex
	image *guestmem.Image // what instances share when they are equal; nil before
	dead  bool
}

// push makes an instance wait, unless the kind is no longer used.
func (k *kind) push(i *Instance) bool {
	return k.shards[rand.IntN(len(k.shards))].push(i)
}

// wants reports whether an instance of the kind shall be saved.
func (k *kind) wants() bool { return k.calls.Load() >= 2 && !k.refused.Load() }

// sharedImage returns the image that instances share, nil before there is one. The
// caller holds it.
func (k *kind) sharedImage() *guestmem.Image {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.image != nil {
		k.image.Retain()
	}
	return k.image
}

// share offers an image to instances that come later, and takes over the caller's hold.
// It reports false when there is one already, or no room: then the image is the
// caller's alone.
func (k *kind) share(image *guestmem.Image) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	size := int64(image.Size()) // zeroes take nothing until somebody reads them
	if k.dead || k.image != nil || k.pool.bytes.Load()+size > k.pool.room() {
		image.Release()
		return false
	}
	k.image = image
	k.pool.count(size)
	return true
}

// close closes the instances that wait, and those of the kind that come back.
func (k *kind) close() {
	for n := range k.shards {
		h := &k.shards[n]
		h.mu.Lock()
		h.dead = true
		h.mu.Unlock()
		k.drop(h.removeIf(func(*Instance) bool { return true })...)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dead = true
	if k.image != nil {
		k.pool.count(-int64(k.image.Size()))
		k.image.Release()
		k.image = nil
	}
}

// drop closes instances that were taken off.
func (k *kind) drop(all ...*Instance) {
	for _, i := range all {
		k.pool.leaves(i)
		i.close()
	}
}

// tend trims and closes instances that have waited for long. Those that are trimmed are
// taken off meanwhile: giving pages back takes a while.
func (k *kind) tend(now time.Time) {
	waited := func(d time.Duration) func(*Instance) bool {
		return func(i *Instance) bool { return now.Sub(i.since) >= d }
	}
	for n := range k.shards {
		h := &k.shards[n]
		k.drop(h.removeIf(waited(CloseAfter))...)
		kept := slices.DeleteFunc(h.removeIf(waited(TrimAfter)), func(i *Instance) bool {
			failed := !i.trim()
			if failed {
				k.drop(i)
			}
			return failed
		})
		if !h.pushOldest(kept) {
			k.drop(kept...)
		}
	}
}
