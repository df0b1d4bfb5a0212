package approvals

import "github.com/wasmtool/wasmtool/internal/recordfile"

// forDisplay returns the approval with texts that are safe to print.
func (a Approval) forDisplay() Approval {
	a.Tenant, a.Tool, a.Session = recordfile.Printable(a.Tenant), recordfile.Printable(a.Tool), recordfile.Printable(a.Session)
	a.Key.Digest = recordfile.Printable(a.Key.Digest)
	words := make([]string, len(a.Grant))
	for i, word := range a.Grant {
		words[i] = recordfile.Printable(word)
	}
	a.Grant = words
	return a
}
