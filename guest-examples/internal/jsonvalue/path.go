package jsonvalue

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Path is the place of a value: the names and indices that lead to it. An empty path denotes the
// root value.
type Path []string

// ParsePath parses a JSON pointer ("/a/0/b", with ~1 for / and ~0 for ~) or names joined by dots
// ("a.0.b" or "a[0].b"). "" is the path of the root value. A path has at most MaxDepth names.
func ParsePath(text string) (Path, error) {
	path, err := parsePath(text)
	if err == nil && len(path) > MaxDepth {
		err = fmt.Errorf("%.80q… has more than %d names", text, MaxDepth)
	}
	return path, err
}

func parsePath(text string) (Path, error) {
	if pointer, ok := strings.CutPrefix(text, "/"); ok {
		path := strings.Split(pointer, "/")
		for i, name := range path {
			path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		}
		return path, nil
	}
	if text == "" {
		return nil, nil
	}
	var path Path
	for part := range strings.SplitSeq(text, ".") {
		name, indices, bracketed := strings.Cut(part, "[")
		if name != "" || !bracketed {
			path = append(path, name)
		}
		for bracketed {
			index, rest, closed := strings.Cut(indices, "]")
			if _, err := strconv.Atoi(index); err != nil || !closed || rest != "" && rest[0] != '[' {
				return nil, fmt.Errorf(`%.80q is not a valid path; write names with dots, brackets and other characters as a JSON pointer, as in "/a.b/0"`, text)
			}
			path = append(path, index)
			_, indices, bracketed = strings.Cut(rest, "[")
		}
		if part == "" {
			return nil, fmt.Errorf(`%.80q has an empty name; if that is intended, write the path as a JSON pointer, as in "/a//b"`, text)
		}
	}
	return path, nil
}

// String returns the path as a JSON pointer.
func (p Path) String() string {
	var b strings.Builder
	for _, name := range p {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return b.String()
}

// Get returns the value at the path, and whether it exists.
func (v Value) Get(path Path) (Value, bool) {
	for _, name := range path {
		var ok bool
		switch v.kind {
		case Object:
			v, ok = v.Members().Get(name)
		case Array:
			var at int
			if at, ok = index(name, len(v.items)); ok {
				v = v.items[at]
			}
		}
		if !ok {
			return Value{}, false
		}
	}
	return v, true
}

// index returns the position in an array of length n. A negative number counts from the end.
func index(name string, n int) (int, bool) {
	at, err := strconv.Atoi(name)
	if err != nil || strconv.Itoa(at) != name {
		return 0, false
	}
	if at < 0 {
		at += n
	}
	return at, 0 <= at && at < n
}

// With returns a copy of v in which value is at the path, in place of any existing value. It
// creates missing objects. In an array, the index "-" or the length of the array appends. With
// returns an error if a value on the path is neither an object nor an array.
func (v Value) With(path Path, value Value) (Value, error) {
	return v.with(path, 0, value)
}

func (v Value) with(path Path, depth int, value Value) (Value, error) {
	if depth == len(path) {
		return value, nil
	}
	name := path[depth]
	switch v.kind {
	case Absent, Object:
		members := v.Members().Clone()
		old, _ := members.Get(name)
		inner, err := old.with(path, depth+1, value)
		if err != nil {
			return Value{}, err
		}
		members.Set(name, inner)
		return NewObject(members), nil
	case Array:
		at, ok := index(name, len(v.items))
		if name == "-" || name == strconv.Itoa(len(v.items)) {
			at, ok = len(v.items), true
		}
		if !ok {
			return Value{}, fmt.Errorf("%q is not an index of the array at %q, which has length %d; \"-\" appends", name, path[:depth], len(v.items))
		}
		items := slices.Clone(v.items)
		if at == len(items) {
			items = append(items, Value{})
		}
		inner, err := items[at].with(path, depth+1, value)
		if err != nil {
			return Value{}, err
		}
		items[at] = inner
		return NewArray(items), nil
	}
	return Value{}, fmt.Errorf("the value at %q is a %v, which has no members; replace it with an object first", path[:depth], v.kind)
}

// Without returns v without the value at the path, and whether there was one. The empty path
// removes nothing.
func (v Value) Without(path Path) (Value, bool) {
	if len(path) == 0 {
		return v, false
	}
	name, rest := path[0], path[1:]
	switch v.kind {
	case Array:
		at, ok := index(name, len(v.items))
		if !ok {
			return v, false
		}
		if len(rest) == 0 {
			return NewArray(slices.Concat(v.items[:at], v.items[at+1:])), true
		}
		inner, ok := v.items[at].Without(rest)
		if !ok {
			return v, false
		}
		items := slices.Clone(v.items)
		items[at] = inner
		return NewArray(items), true
	case Object:
		at := v.Members().find(name)
		if at < 0 {
			return v, false
		}
		if len(rest) == 0 {
			return NewObject(v.members.without(at)), true
		}
		inner, ok := v.members.list[at].value.Without(rest)
		if !ok {
			return v, false
		}
		members := v.members.Clone()
		members.list[at].value = inner
		return NewObject(members), true
	}
	return v, false
}
