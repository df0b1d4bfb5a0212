package hostfuncs

import (
	"slices"
	"sync"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// maxUsageNames bounds the names that a Usage holds of each kind.
const maxUsageNames = 200

// usage collects the names of a Usage. It is safe for concurrent use.
type usage struct {
	mu                                             sync.Mutex
	filesRead, filesWritten, keysRead, keysWritten []string
	more                                           bool
}

// note adds a name to one of the lists.
func (u *usage) note(list *[]string, name string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.more && len(*list) >= maxUsageNames: // a search reads thousands of files
	case slices.Contains(*list, name):
	case len(*list) >= maxUsageNames:
		u.more = true
	default:
		*list = append(*list, name)
	}
}

// fill copies the names into a Usage.
func (u *usage) fill(to *capability.Usage) {
	u.mu.Lock()
	defer u.mu.Unlock()
	to.FilesRead, to.FilesWritten = slices.Clone(u.filesRead), slices.Clone(u.filesWritten)
	to.KeysRead, to.KeysWritten = slices.Clone(u.keysRead), slices.Clone(u.keysWritten)
	to.More = u.more
}

// requestUsage is what the requests of a client did.
func requestUsage(all []egress.Usage) []capability.RequestUsage {
	var list []capability.RequestUsage
	for _, r := range all {
		for i, h := range r.Hops {
			one := capability.RequestUsage{Method: h.Method, Origin: h.Origin, Rule: h.Decision.Rule, Status: h.Status, Sent: h.Sent}
			if i == len(r.Hops)-1 {
				one.BytesSent, one.BytesReceived, one.Failed = r.BytesSent, r.BytesReceived, string(r.Failed)
			}
			list = append(list, one)
		}
	}
	return list
}
