package grants

import "context"

// Store remembers grants. Implementations are safe for concurrent use, return when ctx is
// done, and return an error rather than a grant in doubt.
type Store interface {
	// Find returns a tenant's grants to tools of a name, whatever their digests: whoever
	// uses one compares it with the digest of the tool that is there.
	Find(ctx context.Context, tenant, tool string) ([]Grant, error)
	// Remember adds to what the tenant's tool of that digest was granted, and returns all
	// of it. ID and Created are set by the Store.
	Remember(ctx context.Context, g Grant) (Grant, error)
	// List returns a tenant's grants, oldest first. Their texts are safe to print.
	List(ctx context.Context, tenant string) ([]Grant, error)
	// Revoke forgets a tenant's grant and reports whether there was one. When it returns
	// without an error, no later Find returns it.
	Revoke(ctx context.Context, tenant, id string) (bool, error)
}
