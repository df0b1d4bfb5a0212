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
	// onlyIf allows the change only if the current value equals the field old. If old is nil, the
	// key must have no value.
	onlyIf bool
	old    []byte
	// value is the new value; nil deletes the key.
	value []byte
}

// put returns the change that Put makes. It turns nil into an empty value, because a nil value
// deletes the key.
func put(key string, value []byte) change {
	if value == nil {
		value = []byte{}
	}
	return change{key: key, value: value}
}

// usage is the content of a namespace: its number of keys, and the bytes of keys and values.
type usage struct{ keys, bytes int64 }

// verdict is the decision about a change.
type verdict struct {
	// applies reports that the condition of the change was true.
	applies bool
	// write reports that the change alters the namespace. The field next is the usage of the
	// namespace after the change.
	write bool
	next  usage
}

// decide returns the verdict on c for a namespace with the given usage. current is the current
// value of the key; nil means absent.
func (o Options) decide(c change, current []byte, used usage) (verdict, error) {
	if c.onlyIf && ((c.old == nil) != (current == nil) || !bytes.Equal(c.old, current)) {
		return verdict{}, nil
	}
	if (c.value == nil) == (current == nil) && bytes.Equal(c.value, current) {
		return verdict{applies: true, next: used}, nil
	}
	next := used
	if current != nil {
		next.keys--
		next.bytes -= entryBytes(c.key, current)
	}
	if c.value != nil {
		next.keys++
		next.bytes += entryBytes(c.key, c.value)
	}
	if next.keys > used.keys && next.keys > int64(o.MaxKeys) {
		return verdict{}, fail(QuotaKeys, "the namespace already has %d keys, the maximum: delete some first", o.MaxKeys)
	}
	if next.bytes > used.bytes && next.bytes > o.MaxBytes {
		return verdict{}, fail(QuotaBytes, "the namespace would exceed its maximum of %d bytes: delete something first", o.MaxBytes)
	}
	return verdict{applies: true, write: true, next: next}, nil
}

// check returns an error if no namespace would accept the change.
func (o Options) check(ns Namespace, c change) error {
	if err := checkKey(ns, c.key); err != nil {
		return err
	}
	if len(c.value) > o.MaxValueBytes {
		return fail(ValueTooLong, "the value is %d bytes long: at most %d are allowed", len(c.value), o.MaxValueBytes)
	}
	return nil
}

// entryBytes returns how much an entry counts towards MaxBytes.
func entryBytes(key string, value []byte) int64 { return int64(len(key)) + int64(len(value)) }

// checkNamespace returns BadKey or KeyTooLong if ns is invalid.
func checkNamespace(ns Namespace) error {
	if ns.Tool == "" {
		return fail(BadKey, "the namespace belongs to no tool; name a tool")
	}
	if len(ns.Tool) > MaxNameBytes || len(ns.Tenant) > MaxNameBytes {
		return fail(KeyTooLong, "the tenant or tool name is over %d bytes", MaxNameBytes)
	}
	return nil
}

// checkKey returns BadKey or KeyTooLong if key or ns is invalid.
func checkKey(ns Namespace, key string) error {
	if err := checkNamespace(ns); err != nil {
		return err
	}
	if key == "" {
		return fail(BadKey, "the key is empty: give it at least one character")
	}
	return checkText("key", key)
}

// checkText checks a key, or a part of one.
func checkText(field, s string) error {
	if len(s) > MaxKeyBytes {
		return fail(KeyTooLong, "the %s is %d bytes long: at most %d are allowed", field, len(s), MaxKeyBytes)
	}
	if !utf8.ValidString(s) {
		return fail(BadKey, "the %s is not valid UTF-8", field)
	}
	return nil
}

// query holds the checked arguments of List.
type query struct {
	prefix, after string
	limit         int
}

// newQuery checks the arguments of List.
func newQuery(ns Namespace, prefix, after string, limit int) (query, error) {
	if err := cmp.Or(checkNamespace(ns), checkText("prefix", prefix), checkText("after key", after)); err != nil {
		return query{}, err
	}
	if limit <= 0 || limit > MaxList {
		limit = MaxList
	}
	return query{prefix: prefix, after: after, limit: limit}, nil
}

// start returns the first key to look at. No matching key sorts before it.
func (q query) start() string { return max(q.prefix, q.after) }

// matches reports whether List returns key.
func (q query) matches(key string) bool {
	return strings.HasPrefix(key, q.prefix) && key > q.after
}
