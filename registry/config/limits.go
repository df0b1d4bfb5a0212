package config

import (
	"time"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Ceilings are the operator's bounds on calls, over what manifests ask for. The zero
// value, and any field that is zero, leaves the default of what it bounds. The names are those
// of runtime.Options and of the other options that they bound.
type Ceilings struct {
	// MaxMemory and MaxFuel are what one call may use, in bytes and units of fuel.
	MaxMemory, MaxFuel uint64
	// MaxOpenFiles and MaxRequests are how many files one call may have open, and how many
	// HTTP requests it may send.
	MaxOpenFiles, MaxRequests int
	// MaxTimeout is the longest timeout of a call.
	MaxTimeout time.Duration
	// MaxTotalMemory is what all guests may have together, in bytes.
	MaxTotalMemory uint64
	// MaxIdleBytes is what instances may take that wait for calls, in bytes; less than 0
	// means that none wait.
	MaxIdleBytes int64
	// MaxCalls bounds the calls that run, and MaxWaiting those that wait for a place; less
	// than 0 means that none may wait.
	MaxCalls, MaxWaiting int
}

// Bounds of [limits].
const (
	minMemory       uint64 = 64 << 10
	maxMemory       uint64 = 4 << 30
	maxSystem       uint64 = 1 << 40
	minFuel         uint64 = 10_000
	maxFuel         uint64 = 1_000_000_000_000_000
	maxOpenFiles           = 1024
	maxHTTPRequests        = 1000
	minTimeout             = time.Millisecond
	maxTimeout             = time.Hour
	maxCalls               = 1_000_000
)

// none is the value of a field of Ceilings for a limit of 0, since 0 means the default.
const none = -1

// Ceilings returns the section [limits].
func (c *Config) Ceilings() Ceilings { return c.ceilings }

func (r *reader) limitKeys() []stricttoml.Key {
	l := &r.c.ceilings
	idle := sizeKey(r, "idle_memory", &l.MaxIdleBytes, 0, maxSystem)
	idle.Read = orNone(&l.MaxIdleBytes, idle.Read)
	return []stricttoml.Key{
		sizeKey(r, "memory", &l.MaxMemory, minMemory, maxMemory),
		{Name: "fuel", Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(r.Checker, &l.MaxFuel, minFuel, maxFuel)},
		{Name: "open_files", Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(r.Checker, &l.MaxOpenFiles, 1, maxOpenFiles)},
		{Name: "http_requests", Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(r.Checker, &l.MaxRequests, 1, maxHTTPRequests)},
		{Name: "timeout", Want: stricttoml.WantString, Unit: stricttoml.SecondsOf, Read: stricttoml.ReadString(r.Checker, &l.MaxTimeout, parseTimeout)},
		sizeKey(r, "total_memory", &l.MaxTotalMemory, minMemory, maxSystem),
		idle,
		{Name: "calls", Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(r.Checker, &l.MaxCalls, 1, maxCalls)},
		{Name: "waiting", Want: stricttoml.WantInteger, Read: orNone(&l.MaxWaiting, stricttoml.ReadCount(r.Checker, &l.MaxWaiting, 0, maxCalls))},
	}
}

func parseTimeout(text string) (time.Duration, error) {
	return stricttoml.ParseDuration(text, minTimeout, maxTimeout)
}

// sizeKey is a number of bytes from low to high.
func sizeKey[T int64 | uint64](r *reader, name string, target *T, low, high uint64) stricttoml.Key {
	return stricttoml.Key{
		Name: name, Want: stricttoml.WantString, Unit: stricttoml.SizeOf,
		Read: stricttoml.ReadString(r.Checker, target, func(text string) (T, error) {
			n, err := stricttoml.ParseSize(text, low, high)
			return T(n), err
		}),
	}
}

// orNone turns a 0 that was read into none.
func orNone[T int | int64](target *T, read stricttoml.Reader) stricttoml.Reader {
	return func(at stricttoml.Place, n *stricttoml.Node) {
		read(at, n)
		if *target == 0 {
			*target = none
		}
	}
}

// Bounds and defaults of [audit].
const (
	// DefaultAuditSize is the MaxBytes of an Audit that the file gives none: 64 MiB.
	DefaultAuditSize int64 = 64 << 20
	// DefaultAuditKeep is the Keep of an Audit that the file gives none.
	DefaultAuditKeep = 8

	minAuditSize uint64 = 64 << 10
	maxAuditSize uint64 = 1 << 40
	maxAuditKeep        = 1000
)

func (r *reader) auditKeys() []stricttoml.Key {
	a := &r.c.audit
	a.MaxBytes, a.Keep = DefaultAuditSize, DefaultAuditKeep
	return []stricttoml.Key{
		{Name: "file", Want: stricttoml.WantString, Required: `the file of the record, such as file = "audit.jsonl"`, Read: stricttoml.ReadString(r.Checker, &a.File, r.parsePath)},
		sizeKey(r, "max_size", &a.MaxBytes, minAuditSize, maxAuditSize),
		{Name: "keep", Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(r.Checker, &a.Keep, 0, maxAuditKeep)},
	}
}
