package approvals

import (
	"context"
	"fmt"
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
type CorruptError struct {
	// Line counts from 1; 0 means the file as a whole.
	Line int
	// Why says what is wrong, without the line's text.
	Why string
}

// Error names the file, the line and the fix.
func (e *CorruptError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s; nothing is taken for approved until that is put right", fileName, e.Why)
	}
	return fmt.Sprintf("%s, line %d: %s; delete the line, nothing is taken for approved until then", fileName, e.Line, e.Why)
}

// UnsafeError tells that others than the operator could write approvals.
type UnsafeError struct {
	// What is "the directory" or the name of a file in it.
	What string
	// Why says what is wrong and what to do.
	Why string
}

// Error names what is unsafe and the fix.
func (e *UnsafeError) Error() string {
	return fmt.Sprintf("approvals: %s %s", e.What, e.Why)
}
