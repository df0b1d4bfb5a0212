package kv

import (
	"bytes"
	"encoding/binary"
	"errors"

	"go.etcd.io/bbolt"
)

// The names of the two buckets of a file, and the keys in the first bucket.
const (
	aboutBucket = "about"
	dataBucket  = "data"
	tenantEntry = "tenant"
	toolEntry   = "tool"
	usageEntry  = "usage"
)

// table is a namespace within a transaction. Values that it returns are valid until the transaction
// ends.
type table struct {
	about, data *bbolt.Bucket
	used        usage
}

// newTable writes an empty namespace into a new file.
func newTable(tx *bbolt.Tx, ns Namespace) error {
	about, err := tx.CreateBucket([]byte(aboutBucket))
	if err != nil {
		return err
	}
	data, err := tx.CreateBucket([]byte(dataBucket))
	if err != nil {
		return err
	}
	return errors.Join(
		about.Put([]byte(tenantEntry), []byte(ns.Tenant)),
		about.Put([]byte(toolEntry), []byte(ns.Tool)),
		table{about: about, data: data}.setUsage(usage{}),
	)
}

// openTable returns the namespace stored in a file, or Corrupt if it is not ns.
func openTable(tx *bbolt.Tx, ns Namespace) (table, error) {
	t := table{about: tx.Bucket([]byte(aboutBucket)), data: tx.Bucket([]byte(dataBucket))}
	if t.about == nil || t.data == nil {
		return table{}, damaged()
	}
	if string(t.about.Get([]byte(tenantEntry))) != ns.Tenant || string(t.about.Get([]byte(toolEntry))) != ns.Tool {
		return table{}, fail(Corrupt, "the file belongs to another namespace: it was renamed or copied; put it back")
	}
	raw := t.about.Get([]byte(usageEntry))
	if len(raw) != 16 {
		return table{}, damaged()
	}
	t.used = usage{keys: int64(binary.BigEndian.Uint64(raw)), bytes: int64(binary.BigEndian.Uint64(raw[8:]))}
	return t, nil
}

// get returns the value of a key, or nil if there is none.
func (t table) get(key string) []byte {
	k, v := t.data.Cursor().Seek([]byte(key))
	if k == nil || string(k) != key {
		return nil
	}
	if v == nil {
		return []byte{}
	}
	return v
}

// list returns the keys that match.
func (t table) list(q query) []string {
	var keys []string
	c := t.data.Cursor()
	for k, _ := c.Seek([]byte(q.start())); k != nil && len(keys) < q.limit; k, _ = c.Next() {
		if !bytes.HasPrefix(k, []byte(q.prefix)) {
			break
		}
		if key := string(k); q.matches(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// decide returns the verdict on a change of the namespace.
func (t table) decide(o Options, c change) (verdict, error) {
	return o.decide(c, t.get(c.key), t.used)
}

// set makes a change that decide allowed.
func (t table) set(c change, next usage) error {
	var err error
	if c.value == nil {
		err = t.data.Delete([]byte(c.key))
	} else {
		err = t.data.Put([]byte(c.key), c.value)
	}
	if err != nil {
		return err
	}
	return t.setUsage(next)
}

func (t table) setUsage(u usage) error {
	raw := binary.BigEndian.AppendUint64(nil, uint64(u.keys))
	raw = binary.BigEndian.AppendUint64(raw, uint64(u.bytes))
	return t.about.Put([]byte(usageEntry), raw)
}

// damaged returns the error of a file whose content is invalid.
func damaged() *Error {
	return fail(Corrupt, "the namespace's file is damaged: restore it from a copy, or delete it to start empty")
}
