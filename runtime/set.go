package runtime

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// set is the instances of one kind: those that saw the same while they started.
type set struct {
	pool *pool
	// tenant is the one whose call was the first of the kind.
	tenant string
	// last is when the set was last asked for, in nanoseconds of Unix time.
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

// push makes an instance wait, unless the set is no longer used.
func (k *set) push(i *instance) bool {
	return k.shards[rand.IntN(len(k.shards))].push(i)
}

// wants reports whether an instance of the set shall be saved.
func (k *set) wants() bool { return k.calls.Load() >= 2 && !k.refused.Load() }

// refuse notes that instances of the set cannot be saved.
func (k *set) refuse() { k.refused.Store(true) }

// sharedImage returns the image that instances share, nil before there is one. The
// caller holds it.
func (k *set) sharedImage() *guestmem.Image {
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
func (k *set) share(image *guestmem.Image) bool {
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

// close closes the instances that wait, and those of the set that come back.
func (k *set) close() {
	for n := range k.shards {
		h := &k.shards[n]
		h.mu.Lock()
		h.dead = true
		h.mu.Unlock()
		k.drop(h.removeIf(func(*instance) bool { return true }))
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
func (k *set) drop(all []*instance) {
	for _, i := range all {
		k.pool.leaves(i)
		i.close()
	}
}
