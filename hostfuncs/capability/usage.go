package capability

import "slices"

// Usage lists the names of everything that a call accessed. It contains no content, no values of
// variables and secrets, no host paths, and neither path nor query of requests.
type Usage struct {
	// FilesRead and FilesWritten are guest paths of files that were opened for reading or writing.
	// FilesWritten also includes paths that were created, moved or removed.
	FilesRead    []string `json:"files_read,omitempty"`
	FilesWritten []string `json:"files_written,omitempty"`
	// DirectoriesRead are guest paths of directories that were opened, for example to list them.
	DirectoriesRead []string `json:"directories_read,omitempty"`
	// Requests lists HTTP requests; each redirect is a separate request.
	Requests []RequestUsage `json:"requests,omitempty"`
	// KeysRead and KeysWritten are keys of the tool's store.
	KeysRead    []string `json:"keys_read,omitempty"`
	KeysWritten []string `json:"keys_written,omitempty"`
	// Secrets lists the names of secrets that were added to requests.
	Secrets []string `json:"secrets,omitempty"`
	// ToolsCalled lists the tools that the guest called, under the names that it used.
	ToolsCalled []string `json:"tools_called,omitempty"`
	// More reports that at least one of the lists is incomplete.
	More bool `json:"more,omitempty"`
}

// RequestUsage is one exchange with a server, or a request that was refused.
type RequestUsage struct {
	Method string `json:"method"`
	// Origin is the scheme and host, and the port unless it is the default of the scheme.
	Origin string `json:"origin"`
	// Rule is the permission that allowed the request; empty if none did.
	Rule string `json:"rule,omitempty"`
	// Status is the status code of the response, or 0.
	Status int `json:"status,omitempty"`
	// Sent reports whether the request may have reached the server.
	Sent bool `json:"sent"`
	// BytesSent and BytesReceived are the sizes of the bodies. In a chain of redirects, the last
	// exchange has the sums for the whole chain.
	BytesSent     int64 `json:"bytes_sent,omitempty"`
	BytesReceived int64 `json:"bytes_received,omitempty"`
	// Failed is the kind of failure, or empty.
	Failed string `json:"failed,omitempty"`
}

// Changed reports whether the call may have changed anything outside itself: it wrote a file or a
// key, called another tool, or sent a request other than GET and HEAD that may have arrived.
func (u Usage) Changed() bool {
	if len(u.FilesWritten)+len(u.KeysWritten)+len(u.ToolsCalled) > 0 {
		return true
	}
	return slices.ContainsFunc(u.Requests, func(r RequestUsage) bool { return r.Sent && changes(r.Method) })
}

// Plus returns the union of u and other, with each name once.
func (u Usage) Plus(other Usage) Usage {
	return Usage{
		FilesRead: both(u.FilesRead, other.FilesRead), FilesWritten: both(u.FilesWritten, other.FilesWritten),
		DirectoriesRead: both(u.DirectoriesRead, other.DirectoriesRead),
		Requests:        slices.Concat(u.Requests, other.Requests),
		KeysRead:        both(u.KeysRead, other.KeysRead), KeysWritten: both(u.KeysWritten, other.KeysWritten),
		Secrets: both(u.Secrets, other.Secrets), ToolsCalled: both(u.ToolsCalled, other.ToolsCalled), More: u.More || other.More,
	}
}

// both returns the names of both lists, in order, without duplicates.
func both(a, b []string) []string {
	news := slices.DeleteFunc(slices.Clone(b), func(name string) bool { return slices.Contains(a, name) })
	return slices.Concat(a, news)
}

// None reports whether the call accessed nothing.
func (u Usage) None() bool {
	return len(u.FilesRead)+len(u.FilesWritten)+len(u.DirectoriesRead)+len(u.Requests)+len(u.KeysRead)+len(u.KeysWritten)+len(u.Secrets)+len(u.ToolsCalled) == 0
}
