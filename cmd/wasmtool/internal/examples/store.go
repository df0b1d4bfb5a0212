package examples

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/kv"
	"github.com/wasmtool/wasmtool/internal/each"
)

// fillStore puts the values of an example into the store of its tool.
func fillStore(ctx context.Context, store kv.Store, ns kv.Namespace, values map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := store.Put(ctx, ns, key, []byte(values[key])); err != nil {
			return fmt.Errorf("store: %s: %w", key, err)
		}
	}
	return nil
}

// compareStore compares the whole store after the call with the content that the example expects;
// nil expects nothing.
func compareStore(ctx context.Context, store kv.Store, ns kv.Namespace, want map[string]string, o *Outcome) error {
	if want == nil {
		return nil
	}
	got := make(map[string]string)
	for after := ""; ; {
		keys, err := store.List(ctx, ns, "", after, 0)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			break
		}
		for _, key := range keys {
			value, err := store.Get(ctx, ns, key)
			if err != nil {
				return err
			}
			got[key] = string(value)
		}
		after = keys[len(keys)-1]
	}
	if !maps.Equal(want, got) {
		o.fail("store_after (- expected, + got):\n%s", differing(listed(want), listed(got)))
	}
	return nil
}

// listed returns a line for each value.
func listed(values map[string]string) string {
	lines := each.Of(slices.Sorted(maps.Keys(values)), func(key string) string { return fmt.Sprintf("%s = %q", key, values[key]) })
	return strings.Join(lines, "\n")
}
