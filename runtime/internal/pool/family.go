package pool

import (
	"crypto/rand"
	"sync"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// RenewAfter is the number of calls after which the instances of a line are replaced by new ones,
// which draw other random numbers while they start.
const RenewAfter = 10_000

// Family are the pools of one module, such as an interpreter, with different Data. Their images
// differ little, so each image shares the pages of the first image of its line. A Family is safe
// for concurrent use; the zero value is ready.
type Family struct {
	mu    sync.Mutex
	lines map[string]*line // by tenant
}

// line is what the kinds of a tenant have in common in a Family: the random numbers that they draw
// while they start, and the first image. Nothing of it is shared with another tenant.
type line struct {
	family *Family
	group  *Group
	tenant string
	seed   [32]byte
	calls  atomic.Int64
	// kinds is the number of kinds that use the line; Family.mu protects it.
	kinds int

	mu    sync.Mutex
	image *guestmem.Image // the first image, or nil
}

// join returns the line of a tenant for a new kind. The kind must leave it.
func (f *Family) join(g *Group, tenant string) *line {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.lines[tenant]
	if l == nil || l.old() {
		l = &line{family: f, group: g, tenant: tenant}
		_, _ = rand.Read(l.seed[:]) // never fails
		if f.lines == nil {
			f.lines = make(map[string]*line)
		}
		f.lines[tenant] = l
	}
	l.kinds++
	return l
}

// leave is called when a kind of the line is dropped. The last one frees the image.
func (l *line) leave() {
	l.family.mu.Lock()
	l.kinds--
	last := l.kinds == 0
	if last && l.family.lines[l.tenant] == l {
		delete(l.family.lines, l.tenant)
	}
	l.family.mu.Unlock()
	if !last {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.image != nil {
		l.group.idleBytes.Add(-int64(l.image.Size()))
		l.image.Release()
		l.image = nil
	}
}

// old reports whether the line has served enough calls.
func (l *line) old() bool { return l.calls.Load() >= RenewAfter }

// first returns the first image of the line, or nil. The caller must release it.
func (l *line) first() *guestmem.Image {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.image != nil {
		l.image.Retain()
	}
	return l.image
}

// begin makes image the first image of the line unless there is one, and if it fits the memory for
// waiting instances. The line becomes a holder of the image, and counts it.
func (l *line) begin(image *guestmem.Image) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	size := int64(image.Size())
	if l.image != nil || l.group.idleBytes.Load()+size > l.group.opts.MaxIdleBytes {
		return false
	}
	image.Retain()
	l.image = image
	l.group.idleBytes.Add(size)
	return true
}
