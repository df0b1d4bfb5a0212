package approvals

import (
	"context"

	"github.com/wasmtool/wasmtool/internal/recordfile"
)

// Store remembers approvals. Implementations are safe for concurrent use, return when
// ctx is done, and return an error rather than an approval in doubt.
type Store interface {
	// Find returns an approval that is good for a call, and whether there is one.
	Find(ctx context.Context, q Query) (Approval, bool, error)
	// Remember keeps an approval; ID, Created and, for ScopeSession, a missing
	// Expires are set by the Store, and returned. An approval with the same ID is
	// replaced. ScopeOnce is an error.
	Remember(ctx context.Context, a Approval) (Approval, error)
	// List returns a tenant's approvals that have not expired, oldest first. Their
	// texts are safe to print.
	List(ctx context.Context, tenant string) ([]Approval, error)
	// Revoke forgets a tenant's approval and reports whether there was one. When it
	// returns without an error, no later Find returns it.
	Revoke(ctx context.Context, tenant, id string) (bool, error)
}

// CorruptError tells that a line of the file is not an approval. No approval is
// returned until the line is gone.
type CorruptError = recordfile.CorruptError

// UnsafeError tells that others than the operator could write approvals.
type UnsafeError = recordfile.UnsafeError
