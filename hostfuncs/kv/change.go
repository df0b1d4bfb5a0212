package kv

import "bytes"

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
