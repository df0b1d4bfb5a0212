package egress

import (
	"slices"
	"sync"
)

// Usage is what one request did, for receipts. It holds no path, query or secret.
type Usage struct {
	// Method is the one that was asked for; that of a hop may differ. Empty when the
	// method was refused.
	Method string
	// Hops are the request and the redirects that were asked about, in order. When the
	// last one was refused, its Sent is false. Empty when the URL was unsound.
	Hops []Hop
	// Status is that of the response, or 0.
	Status int
	// BytesSent counts request bodies as far as they were handed to a connection,
	// BytesReceived the response body after decompression as far as it was read.
	BytesSent, BytesReceived int64
	// Failed is the kind of failure, or empty.
	Failed Kind
}

// Hop is one exchange with a server, or one that was refused.
type Hop struct {
	// Method is in upper case; Origin is scheme, host and port where that is not the
	// scheme's own.
	Method, Origin string
	// Decision is what Permit answered. Zero when it refused.
	Decision Decision
	// Status is that of the response, or 0.
	Status int
	// Sent says that the request may have reached the server.
	Sent bool
}

// record collects the Usage of one request. It is safe for concurrent use.
type record struct {
	mu    sync.Mutex
	usage Usage
}

// update changes the Usage.
func (r *record) update(change func(u *Usage)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.usage)
}

// updateHop changes the last hop.
func (r *record) updateHop(change func(h *Hop)) {
	r.update(func(u *Usage) {
		if n := len(u.Hops); n > 0 {
			change(&u.Hops[n-1])
		}
	})
}

// snapshot returns a copy of the Usage.
func (r *record) snapshot() Usage {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.usage
	u.Hops = slices.Clone(u.Hops)
	return u
}
