package config

import (
	"time"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Ceilings are the operator's limits on calls, which override larger values in manifests. A field
// has the name of the option that it limits, for example in runtime.Options. If the field is zero,
// the default of the option applies.
type Ceilings struct {
	// MaxMemory limits the memory of one call in bytes, and MaxFuel its fuel.
	MaxMemory, MaxFuel uint64
	// MaxOpenFiles limits the open files of one call, and MaxRequests its HTTP requests.
	MaxOpenFiles, MaxRequests int
	// MaxTimeout limits the timeout of a call.
	MaxTimeout time.Duration
	// MaxTotalMemory limits the memory of all guests together, in bytes.
	MaxTotalMemory uint64
	// MaxIdleBytes limits the memory of idle instances, in bytes; less than 0 means that no
	// instance stays idle.
	MaxIdleBytes int64
	// MaxCalls limits the running calls. MaxWaiting limits the queued calls; less than 0 means that
	// no call is queued.
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

// none stands for a limit of 0 in Ceilings, because 0 means the default there.
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

// sizeKey returns the format of a size in bytes, which must be between low and high.
func sizeKey[T int64 | uint64](r *reader, name string, target *T, low, high uint64) stricttoml.Key {
	return stricttoml.Key{
		Name: name, Want: stricttoml.WantString, Unit: stricttoml.SizeOf,
		Read: stricttoml.ReadString(r.Checker, target, func(text string) (T, error) {
			n, err := stricttoml.ParseSize(text, low, high)
			return T(n), err
		}),
	}
}

// orNone returns a Reader that stores the constant none instead of 0.
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
	// DefaultAuditSize is Audit.MaxBytes when the file does not set it: 64 MiB.
	DefaultAuditSize int64 = 64 << 20
	// DefaultAuditKeep is Audit.Keep when the file does not set it.
	DefaultAuditKeep = 8

	minAuditSize uint64 = 64 << 10
	maxAuditSize uint64 = 1 << 40
	maxAuditKeep        = 1000
)

func (r *reader) auditKeys() []stricttoml.Key {
	a := &r.c.audit
	a.MaxBytes, a.Keep = DefaultAuditSize, DefaultAuditKeep
	return []stricttoml.Key{
		{Name: "file", Want: stricttoml.WantString, Required: `the path of the audit file, such as file = "audit.jsonl"`, Read: stricttoml.ReadString(r.Checker, &a.File, r.parsePath)},
		sizeKey(r, "max_size", &a.MaxBytes, minAuditSize, maxAuditSize),
		{Name: "keep", Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(r.Checker, &a.Keep, 0, maxAuditKeep)},
	}
}
