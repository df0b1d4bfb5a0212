package hostfuncs

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
)

// callSecrets are the secrets that one call used: what servers echo of them is hidden
// from the guest, and from everybody who sees what the guest wrote. It is safe for
// concurrent use.
type callSecrets struct {
	store *secret.Store // nil without any

	mu     sync.Mutex
	values map[string]string // by name
	hide   *secret.Scrubber  // of values; nil while there are none
}

// value returns a secret for a use and hides it from then on.
func (c *callSecrets) value(ctx context.Context, use capability.SecretUse) (string, error) {
	if c.store == nil {
		return "", newFault(CodeDenied, string(egress.KindSecret), "the secret %s is not there", use.Name)
	}
	value, err := c.store.Value(ctx, use)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values[use.Name] != value {
		values := map[string]string{}
		maps.Copy(values, c.values)
		values[use.Name] = value
		c.values, c.hide = values, secret.NewScrubber(values)
	}
	return value, nil
}

// scrubber hides the secrets used so far; nil, which hides nothing, for none.
func (c *callSecrets) scrubber() *secret.Scrubber {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hide
}

// names are those of the secrets used so far, in order.
func (c *callSecrets) names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.values))
}

// text hides them in a text.
func (c *callSecrets) text(s string) string { return c.scrubber().Text(s) }

// stream hides them in one response.
func (c *callSecrets) stream() egress.Scrubber { return c.scrubber().Stream() }
