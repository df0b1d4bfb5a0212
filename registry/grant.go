package registry

import (
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// computeGrant is the step that cuts what the tool asks for down to what the
// operator offers, and the overlay leaves of it. A tool that asks for more than it gets does not run: it would
// fail half-way, where the reason is harder to see.
func (x *execution) computeGrant() error {
	grant, missing := capability.Intersect(x.entry.spec.Permissions, x.overlay.cut(x.rules.OfferTo(x.entry.spec.Name)))
	if len(missing) == 0 {
		x.grant = grant
		return nil
	}
	message := "not granted: " + strings.Join(missing, ", ") + "; only the operator can grant it"
	return &tool.Error{
		Code: tool.CodePermissionDenied, Message: message, Recoverable: true,
		Details: tool.Details{Missing: missing},
	}
}
