package kv

import (
	"strings"
	"unicode/utf8"
)

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
	if err := checkNamespace(ns); err != nil {
		return query{}, err
	}
	if err := checkText("prefix", prefix); err != nil {
		return query{}, err
	}
	if err := checkText("after key", after); err != nil {
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
