package check

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/manifests"
)

// shrink returns a smaller example that still fails: it removes and shortens parts as long as fails
// reports true, which it calls at most tries times. fails returns false for invalid arguments.
func shrink(e manifests.Example, tries int, fails func(manifests.Example) bool) manifests.Example {
	// After a success, the changes before it are tried again only when all others have failed.
	for first := 0; ; {
		changes := smaller(e)
		at, success := first, false
		for ; at < len(changes); at++ {
			if tries--; tries < 0 {
				return e
			}
			next := e
			if changes[at](&next); fails(next) {
				e, first, success = next, at, true
				break
			}
		}
		if !success && first == 0 {
			return e
		}
		if !success {
			first = 0
		}
	}
}

// smaller returns changes that make an example smaller, the largest first.
func smaller(e manifests.Example) []func(*manifests.Example) {
	var changes []func(*manifests.Example)
	when := func(there bool, change func(*manifests.Example)) {
		if there {
			changes = append(changes, change)
		}
	}
	when(len(e.Before) > 0, func(x *manifests.Example) { x.Before = nil })
	when(len(e.HTTP) > 0, func(x *manifests.Example) { x.HTTP = nil })
	when(len(e.Secrets) > 0, func(x *manifests.Example) { x.Secrets = nil })
	when(len(e.Store) > 0, func(x *manifests.Example) { x.Store = nil })
	when(len(e.Files) > 0, func(x *manifests.Example) { x.Files = nil })
	when(len(e.Files) > 1, func(x *manifests.Example) { x.Files = x.Files[:len(x.Files)/2] })
	when(len(e.Files) > 1, func(x *manifests.Example) { x.Files = x.Files[len(x.Files)/2:] })
	arguments, err := decode(e.Object())
	if err != nil {
		return changes // what is not JSON cannot be made smaller
	}
	for _, value := range smallerValues(arguments) {
		changes = append(changes, func(x *manifests.Example) {
			x.Arguments, _ = json.Marshal(value) // never fails, because value was decoded
		})
	}
	return changes
}

// decode parses arguments and keeps the digits of numbers.
func decode(raw json.RawMessage) (value any, err error) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

// smallerValues returns values that are smaller than v in one place, the largest steps first.
func smallerValues(v any) (list []any) {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		for _, name := range names {
			other := maps.Clone(v)
			delete(other, name)
			list = append(list, other)
		}
		for _, name := range names {
			for _, value := range smallerValues(v[name]) {
				other := maps.Clone(v)
				other[name] = value
				list = append(list, other)
			}
		}
	case []any:
		if len(v) > 1 {
			list = append(list, []any{}, v[:len(v)/2], v[len(v)/2:])
		}
		for i := range v {
			list = append(list, slices.Delete(slices.Clone(v), i, i+1))
		}
		for i := range v {
			for _, value := range smallerValues(v[i]) {
				other := slices.Clone(v)
				other[i] = value
				list = append(list, other)
			}
		}
	case string:
		return smallerTexts(v)
	case json.Number:
		f, err := v.Float64()
		for _, n := range []float64{0, 1, 10, 100, 1000, 1e6, math.Trunc(f / 2), math.Trunc(f * 0.9), f - math.Copysign(1, f), math.Trunc(f)} {
			if err == nil && math.Abs(n) < math.Abs(f) {
				list = append(list, json.Number(strconv.FormatFloat(n, 'f', -1, 64)))
			}
		}
	case bool:
		if v {
			list = append(list, false)
		}
	}
	return list
}

// smallerTexts returns parts of a string, and the string with one character in place of all others.
func smallerTexts(v string) (list []any) {
	runes := []rune(v)
	if len(runes) == 0 {
		return nil
	}
	half, last := len(runes)/2, len(runes)-1
	for _, part := range []string{"", "a", string(runes[:half]), string(runes[half:]), string(runes[:last]), string(runes[1:])} {
		if len(part) < len(v) {
			list = append(list, part)
		}
	}
	if plain := strings.Repeat("a", len(runes)); plain != v {
		list = append(list, plain)
	}
	return list
}
