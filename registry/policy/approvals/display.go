package approvals

import "github.com/wasmtool/wasmtool/internal/plaintext"

// forDisplay returns the approval with texts that are safe to print.
func (a Approval) forDisplay() Approval {
	a.Tenant, a.Tool, a.Session = plaintext.Visible(a.Tenant), plaintext.Visible(a.Tool), plaintext.Visible(a.Session)
	a.Pattern = plaintext.Visible(a.Pattern)
	a.Key.Digest = plaintext.Visible(a.Key.Digest)
	words := make([]string, len(a.Grant))
	for i, word := range a.Grant {
		words[i] = plaintext.Visible(word)
	}
	a.Grant = words
	return a
}
