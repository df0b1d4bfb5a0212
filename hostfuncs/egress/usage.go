package egress

import (
	"slices"
	"sync"
)

// Usage describes one request for receipts. It contains no path, query or secret.
type Usage struct {
	// Method is the method that the caller requested, or empty if it was refused. The method of a
	// hop may differ.
	Method string
	// Hops lists the request and its redirects that were passed to Permit, in order. If the last
	// hop was refused, its Sent is false. Empty if the URL was invalid.
	Hops []Hop
	// Status is the status code of the response, or 0.
	Status int
	// BytesSent counts the bytes of request bodies that were written to a connection. BytesReceived
	// counts the decompressed bytes of the response body that were read.
	BytesSent, BytesReceived int64
	// Failed is the kind of failure, or empty.
	Failed Kind
}

// Hop is one exchange with a server, or a request or redirect that was refused.
type Hop struct {
	// Method is in upper case. Origin is the scheme and host, and the port unless it is the default
	// of the scheme.
	Method, Origin string
	// Decision is the result of Permit; the zero value if Permit refused the hop.
	Decision Decision
	// Status is the status code of the response, or 0.
	Status int
	// Sent reports whether the request may have reached the server.
	Sent bool
}

// record collects the Usage of one request. It is safe for concurrent use.
type record struct {
	mu    sync.Mutex
	usage Usage
}

// update changes the Usage under the lock.
func (r *record) update(change func(u *Usage)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.usage)
}

// updateHop changes the last hop, if there is one.
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
