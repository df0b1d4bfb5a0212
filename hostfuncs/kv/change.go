package kv

import (
	"bytes"
	"cmp"
	"strings"
	"unicode/utf8"
)

// change is one write to one key.
type change struct {
	key string
	// onlyIf says that the value must be old now, nil meaning absent.
	onlyIf bool
	old    []byte
	// value is the new value; nil deletes.
	value []byte
}

// put is the change that Put makes. Nil becomes empty, since nil would delete.
func put(key string, value []byte) change {
	if value == nil {
		value = []byte{}
	}
	return change{key: key, value: value}
}

// usage is what a namespace holds.
type usage struct{ keys, bytes int64 }

// verdict is what becomes of a change.
type verdict struct {
	// applies says that the condition held.
	applies bool
	// write says that something differs afterwards; next is the usage then.
	write bool
	next  usage
}

// judge decides on c where the key's value is now, nil meaning absent.
func (o Options) judge(c change, now []byte, used usage) (verdict, error) {
	if c.onlyIf && ((c.old == nil) != (now == nil) || !bytes.Equal(c.old, now)) {
		return verdict{}, nil
	}
	if (c.value == nil) == (now == nil) && bytes.Equal(c.value, now) {
		return verdict{applies: true, next: used}, nil
	}
	next := used
	if now != nil {
		next.keys--
		next.bytes -= entryBytes(c.key, now)
	}
	if c.value != nil {
		next.keys++
		next.bytes += entryBytes(c.key, c.value)
	}
	if next.keys > used.keys && next.keys > int64(o.MaxKeys) {
		return verdict{}, fail(QuotaKeys, "the namespace holds its %d keys: delete some first", o.MaxKeys)
	}
	if next.bytes > used.bytes && next.bytes > o.MaxBytes {
		return verdict{}, fail(QuotaBytes, "the namespace would hold more than its %d bytes: delete something first", o.MaxBytes)
	}
	return verdict{applies: true, write: true, next: next}, nil
}

// check returns the error of a change that could not be made to any namespace.
func (o Options) check(ns Namespace, c change) error {
	if err := checkKey(ns, c.key); err != nil {
		return err
	}
	if len(c.value) > o.MaxValueBytes {
		return fail(ValueTooLong, "the value is %d bytes long: at most %d are allowed", len(c.value), o.MaxValueBytes)
	}
	return nil
}

// entryBytes is what an entry counts for.
func entryBytes(key string, value []byte) int64 { return int64(len(key)) + int64(len(value)) }

// checkNamespace returns BadKey or KeyTooLong for a namespace that cannot be one.
func checkNamespace(ns Namespace) error {
	if ns.Tool == "" {
		return fail(BadKey, "the namespace has no tool: name one")
	}
	if len(ns.Tool) > MaxNameBytes || len(ns.Tenant) > MaxNameBytes {
		return fail(KeyTooLong, "the tenant or tool name is over %d bytes", MaxNameBytes)
	}
	return nil
}

// checkKey returns BadKey or KeyTooLong for what cannot be a key of ns.
func checkKey(ns Namespace, key string) error {
	if err := checkNamespace(ns); err != nil {
		return err
	}
	if key == "" {
		return fail(BadKey, "the key is empty: give it at least one character")
	}
	return checkText("key", key)
}

// checkText checks what may be part of a key.
func checkText(field, s string) error {
	if len(s) > MaxKeyBytes {
		return fail(KeyTooLong, "the %s is %d bytes long: at most %d are allowed", field, len(s), MaxKeyBytes)
	}
	if !utf8.ValidString(s) {
		return fail(BadKey, "the %s is not valid UTF-8", field)
	}
	return nil
}

// query is a List that has been checked.
type query struct {
	prefix, after string
	limit         int
}

// newQuery checks what List was given.
func newQuery(ns Namespace, prefix, after string, limit int) (query, error) {
	if err := cmp.Or(checkNamespace(ns), checkText("prefix", prefix), checkText("after key", after)); err != nil {
		return query{}, err
	}
	if limit <= 0 || limit > MaxList {
		limit = MaxList
	}
	return query{prefix: prefix, after: after, limit: limit}, nil
}

// start is the least key that can match, but for after itself.
func (q query) start() string { return max(q.prefix, q.after) }

// matches says whether key is to be listed.
func (q query) matches(key string) bool {
	return strings.HasPrefix(key, q.prefix) && key > q.after
}
