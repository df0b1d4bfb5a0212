package capability

import "slices"

// Usage is what a call reached, by names: it holds no contents, no values of variables and
// secrets, no paths of the host, and of requests neither path nor query.
type Usage struct {
	// FilesRead and FilesWritten are guest paths of files that were opened for that, and of
	// what was made, moved or removed.
	FilesRead    []string `json:"files_read,omitempty"`
	FilesWritten []string `json:"files_written,omitempty"`
	// Requests are those over HTTP, each redirect one of its own.
	Requests []RequestUsage `json:"requests,omitempty"`
	// KeysRead and KeysWritten are keys of the tool's store.
	KeysRead    []string `json:"keys_read,omitempty"`
	KeysWritten []string `json:"keys_written,omitempty"`
	// Secrets are the names of those that went into requests.
	Secrets []string `json:"secrets,omitempty"`
	// More says that there is more of some kind than is named.
	More bool `json:"more,omitempty"`
}

// RequestUsage is one exchange with a server, or one that was refused.
type RequestUsage struct {
	Method string `json:"method"`
	// Origin is scheme, host and port where that is not the scheme's own.
	Origin string `json:"origin"`
	// Rule is what permitted it; empty when nothing did.
	Rule string `json:"rule,omitempty"`
	// Status is that of the response, or 0.
	Status int `json:"status,omitempty"`
	// Sent says that it may have reached the server.
	Sent bool `json:"sent"`
	// BytesSent and BytesReceived are of the bodies, of the last exchange of a chain of
	// redirects for all of them.
	BytesSent     int64 `json:"bytes_sent,omitempty"`
	BytesReceived int64 `json:"bytes_received,omitempty"`
	// Failed is the kind of failure, or empty.
	Failed string `json:"failed,omitempty"`
}

// Changed reports whether the call may have changed anything outside of itself: it wrote a
// file or a key, or sent a request other than GET and HEAD that may have arrived.
func (u Usage) Changed() bool {
	if len(u.FilesWritten)+len(u.KeysWritten) > 0 {
		return true
	}
	return slices.ContainsFunc(u.Requests, func(r RequestUsage) bool { return r.Sent && changes(r.Method) })
}

// Plus is what u and other reached together, each name once.
func (u Usage) Plus(other Usage) Usage {
	return Usage{
		FilesRead: both(u.FilesRead, other.FilesRead), FilesWritten: both(u.FilesWritten, other.FilesWritten),
		Requests: slices.Concat(u.Requests, other.Requests),
		KeysRead: both(u.KeysRead, other.KeysRead), KeysWritten: both(u.KeysWritten, other.KeysWritten),
		Secrets: both(u.Secrets, other.Secrets), More: u.More || other.More,
	}
}

// both are the names of either list, in their order.
func both(a, b []string) []string {
	news := slices.DeleteFunc(slices.Clone(b), func(name string) bool { return slices.Contains(a, name) })
	return slices.Concat(a, news)
}

// None reports whether the call reached nothing.
func (u Usage) None() bool {
	return len(u.FilesRead)+len(u.FilesWritten)+len(u.Requests)+len(u.KeysRead)+len(u.KeysWritten)+len(u.Secrets) == 0
}
