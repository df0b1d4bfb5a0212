package pool

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// kind is a set of instances that saw the same inputs during their start.
type kind struct {
	pool *Pool
	line *line // nil for a module without Data
	// tenant made the first call of the kind.
	tenant string
	// last is the time of the last call, in nanoseconds of Unix time.
	last atomic.Int64
	// calls counts calls up to two, because most instances are saved from the second call on.
	calls atomic.Int32
	// refused reports whether the instances cannot be saved, and coldOnly whether the warm-up
	// fails.
	refused, coldOnly atomic.Bool

	shards []shard

	mu sync.Mutex
	// shared by instances whose memory is equal to it; nil before the first image is saved
	image *guestmem.Image
	// imageBytes is the part of image that the pool counts: the first image of a line is counted
	// by its Group.
	imageBytes int64
	dead       bool
}

// push adds a waiting instance, unless the kind has been dropped.
func (k *kind) push(i *Instance) bool {
	return k.shards[k.pool.group.near.shard(len(k.shards))].push(i)
}

// wants reports whether a new instance of the kind should be saved. The start of an interpreter
// takes so much longer than saving it that the first instance is saved.
func (k *kind) wants() bool { return (k.line != nil || k.calls.Load() >= 2) && !k.refused.Load() }

// sharedImage returns the image that instances share, or nil. The caller must release it.
func (k *kind) sharedImage() *guestmem.Image {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.image != nil {
		k.image.Retain()
	}
	return k.image
}

// share makes image the shared image and takes over the caller's reference. If there already is a
// shared image, or no room for one, share returns false, and the image belongs only to the caller's
// memory.
func (k *kind) share(image *guestmem.Image) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead || k.image != nil {
		image.Release()
		return false
	}
	size := int64(image.OwnSize()) // an upper bound: zero pages take no memory until they are read
	switch {
	case k.line != nil && k.line.begin(image):
		size = 0 // the Group counts it
	case k.pool.bytes.Load()+size > k.pool.room():
		image.Release()
		return false
	}
	k.image, k.imageBytes = image, size
	k.pool.count(size)
	return true
}

// close closes the waiting instances. Instances that return later are also closed.
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
	wasDead := k.dead
	k.dead = true
	if k.image != nil {
		k.pool.count(-k.imageBytes)
		k.image.Release()
		k.image = nil
	}
	if k.line != nil && !wasDead {
		k.line.leave()
	}
}

// drop closes instances that were removed from their shard.
func (k *kind) drop(all ...*Instance) {
	for _, i := range all {
		k.pool.leaves(i)
		i.close()
	}
}

// tend trims and closes instances that have waited for a long time. It removes an instance from its
// shard during the trimming, because giving pages back takes a while.
func (k *kind) tend(now time.Time) {
	waited := func(d time.Duration) func(*Instance) bool {
		return func(i *Instance) bool { return now.Sub(i.since) >= d }
	}
	for n := range k.shards {
		h := &k.shards[n]
		k.drop(h.removeIf(waited(CloseAfter))...)
		trimmed := slices.DeleteFunc(h.removeIf(waited(TrimAfter)), func(i *Instance) bool {
			failed := !i.trim()
			if failed {
				k.drop(i)
			}
			return failed
		})
		if !h.pushOldest(trimmed) {
			k.drop(trimmed...)
		}
	}
}
