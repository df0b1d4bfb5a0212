package policy

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// every is the token that matches every element or field.
const every = "*"

// parsePointer splits a JSON pointer into tokens.
func parsePointer(pointer string) ([]string, error) {
	if !strings.HasPrefix(pointer, "/") {
		return nil, errors.New("is not a JSON pointer; write /NAME for the argument NAME")
	}
	tokens, ok := jsontree.ParsePointer(pointer)
	if !ok {
		return nil, errors.New("is not a JSON pointer; write ~0 for ~ and ~1 for /")
	}
	return tokens, nil
}

// found is the result of following a pointer.
type found struct {
	value  any
	absent bool
	// odd reports that a string, number or boolean was found where the pointer needs a list or an
	// object.
	odd bool
}

// find returns the values at a pointer: several if the pointer contains "*", and otherwise at most
// one.
func (e *effort) find(v any, tokens []string) []found {
	e.spend(nodeCost)
	if len(tokens) == 0 {
		return []found{{value: v}}
	}
	token, rest := tokens[0], tokens[1:]
	switch v := v.(type) {
	case nil:
		return []found{{absent: true}}
	case []any:
		i, err := strconv.Atoi(token)
		switch {
		case err != nil || strconv.Itoa(i) != token || i < 0:
			return e.fanOut(slices.Values(v), rest)
		case i >= len(v):
			return []found{{absent: true}}
		}
		return e.find(v[i], rest)
	case map[string]any:
		// A field named "*" must not hide the others.
		if token == every {
			return e.fanOut(fields(v), rest)
		}
		value, ok := v[token]
		if !ok {
			return []found{{absent: true}}
		}
		return e.find(value, rest)
	}
	return []found{{odd: true}}
}

func (e *effort) fanOut(values iter.Seq[any], rest []string) []found {
	var all []found
	for value := range values {
		all = append(all, e.find(value, rest)...)
	}
	if all == nil {
		return []found{{absent: true}}
	}
	return all
}

// fields yields the values of an object in the order of their names, so that the effort of a
// decision is always the same.
func fields(object map[string]any) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if !yield(object[name]) {
				return
			}
		}
	}
}
