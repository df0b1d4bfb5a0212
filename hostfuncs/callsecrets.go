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

// callSecrets holds the secrets that one call has used. If a server sends a secret back,
// callSecrets hides it from the guest and from every reader of the guest's output. It is safe for
// concurrent use.
type callSecrets struct {
	store *secret.Store // nil if the host provides no secrets

	mu     sync.Mutex
	values map[string]string // by name
	hide   *secret.Scrubber  // hides values; nil if there are no values
}

// value returns the secret named use.Name. From then on, that secret is hidden in responses and
// output.
func (c *callSecrets) value(ctx context.Context, use capability.SecretUse) (string, error) {
	if c.store == nil {
		return "", newError(CodeDenied, string(egress.KindSecret), "the secret %s is not available", use.Name)
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

// scrubber returns a Scrubber for the secrets used so far. If there are none, it returns nil. A nil
// Scrubber hides nothing.
func (c *callSecrets) scrubber() *secret.Scrubber {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hide
}

// names returns the names of the secrets used so far, sorted.
func (c *callSecrets) names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.values))
}

// text hides the secrets in a text.
func (c *callSecrets) text(s string) string { return c.scrubber().Text(s) }

// stream returns a Scrubber that hides the secrets in one response.
func (c *callSecrets) stream() egress.Scrubber { return c.scrubber().Stream() }
