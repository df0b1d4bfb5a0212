package kv

import "time"

// Bounds that no option changes.
const (
	// MaxKeyBytes is the length of the longest key.
	MaxKeyBytes = 512
	// MaxNameBytes is the length of the longest tenant or tool name.
	MaxNameBytes = 1024
	// MaxList is the number of keys that List returns at most.
	MaxList = 1000
)

// What the zero Options mean.
const (
	DefaultMaxKeys       = 10_000
	DefaultMaxBytes      = 16 << 20
	DefaultMaxValueBytes = 1 << 20
	DefaultWait          = 10 * time.Second
)

// Options bounds each namespace of a Store. In every field 0 or less means the default.
// Lowering a bound below what a namespace holds loses nothing: it can be read, shrunk and
// deleted from, but not grow.
type Options struct {
	// MaxKeys is the number of keys. Default DefaultMaxKeys.
	MaxKeys int
	// MaxBytes is the sum of the lengths of keys and values. Default DefaultMaxBytes.
	// A Bolt file takes more than that on disk: it stops growing at four times what both
	// quotas allow and a little, with an error of kind QuotaBytes, and never shrinks.
	MaxBytes int64
	// MaxValueBytes is the length of one value. Default DefaultMaxValueBytes.
	MaxValueBytes int
	// Wait is how long a call waits for its turn where others, perhaps in another
	// process, use the same namespace; the context may end it sooner. Only Bolt waits.
	// Default DefaultWait.
	Wait time.Duration
}

// withDefaults returns o with every field set.
func (o Options) withDefaults() Options {
	if o.MaxKeys <= 0 {
		o.MaxKeys = DefaultMaxKeys
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxValueBytes <= 0 {
		o.MaxValueBytes = DefaultMaxValueBytes
	}
	if o.Wait <= 0 {
		o.Wait = DefaultWait
	}
	return o
}
