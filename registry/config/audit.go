package config

import "github.com/wasmtool/wasmtool/internal/stricttoml"

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
		{Name: "file", Want: stricttoml.WantText, Required: `the file of the record, such as file = "audit.jsonl"`, Read: stricttoml.ReadText(r.Checker, &a.File, r.parsePath)},
		sizeKey(r, "max_size", &a.MaxBytes, minAuditSize, maxAuditSize),
		{Name: "keep", Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(r.Checker, &a.Keep, 0, maxAuditKeep)},
	}
}
