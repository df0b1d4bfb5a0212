package check

import (
	"encoding/json"
	"iter"
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
		at, success := 0, false
		for smaller := range smallerExamples(e) {
			if at++; at <= first {
				continue
			}
			if tries--; tries < 0 {
				return e
			}
			if success = fails(smaller); success {
				e, first = smaller, at-1
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

// smallerExamples yields examples that have one part less, the largest parts first.
func smallerExamples(e manifests.Example) iter.Seq[manifests.Example] {
	return func(yield func(manifests.Example) bool) {
		for _, change := range []struct {
			there bool
			less  func(*manifests.Example)
		}{
			{len(e.Before) > 0, func(x *manifests.Example) { x.Before = nil }},
			{len(e.HTTP) > 0, func(x *manifests.Example) { x.HTTP = nil }},
			{len(e.Secrets) > 0, func(x *manifests.Example) { x.Secrets = nil }},
			{len(e.Store) > 0, func(x *manifests.Example) { x.Store = nil }},
			{len(e.Files) > 0, func(x *manifests.Example) { x.Files = nil }},
			{len(e.Files) > 1, func(x *manifests.Example) { x.Files = x.Files[:len(x.Files)/2] }},
			{len(e.Files) > 1, func(x *manifests.Example) { x.Files = x.Files[len(x.Files)/2:] }},
		} {
			if !change.there {
				continue
			}
			smaller := e
			change.less(&smaller)
			if !yield(smaller) {
				return
			}
		}
		arguments, err := decode(e.Object())
		if err != nil {
			return // what is not JSON cannot be made smaller
		}
		for value := range smallerValues(arguments) {
			smaller := e
			if smaller.Arguments, err = json.Marshal(value); err == nil && !yield(smaller) {
				return
			}
		}
	}
}

// decode parses arguments and keeps the digits of numbers.
func decode(raw json.RawMessage) (value any, err error) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

// smallerValues yields values that are smaller than v in one place, the largest steps first.
func smallerValues(v any) iter.Seq[any] {
	return func(yield func(any) bool) {
		switch v := v.(type) {
		case map[string]any:
			smallerObjects(v, yield)
		case []any:
			smallerLists(v, yield)
		case string:
			smallerTexts(v, yield)
		case json.Number:
			f, err := v.Float64()
			for _, n := range []float64{0, 1, 10, 100, 1000, 1e6, math.Trunc(f / 2), math.Trunc(f * 0.9), f - math.Copysign(1, f), math.Trunc(f)} {
				if err == nil && math.Abs(n) < math.Abs(f) && !yield(json.Number(strconv.FormatFloat(n, 'f', -1, 64))) {
					return
				}
			}
		case bool:
			if v {
				yield(false)
			}
		}
	}
}

func smallerObjects(v map[string]any, yield func(any) bool) {
	names := slices.Sorted(maps.Keys(v))
	with := func(name string, value any, keep bool) map[string]any {
		other := maps.Clone(v)
		if delete(other, name); keep {
			other[name] = value
		}
		return other
	}
	for _, name := range names {
		if !yield(with(name, nil, false)) {
			return
		}
	}
	for _, name := range names {
		for value := range smallerValues(v[name]) {
			if !yield(with(name, value, true)) {
				return
			}
		}
	}
}

func smallerLists(v []any, yield func(any) bool) {
	half := len(v) / 2
	for _, part := range [][]any{{}, v[:half], v[half:]} {
		if len(part) < len(v) && !yield(part) {
			return
		}
	}
	for i := range v {
		if !yield(slices.Delete(slices.Clone(v), i, i+1)) {
			return
		}
	}
	for i := range v {
		for value := range smallerValues(v[i]) {
			other := slices.Clone(v)
			other[i] = value
			if !yield(other) {
				return
			}
		}
	}
}

// smallerTexts yields parts of a string, and the string with one character in place of all others.
func smallerTexts(v string, yield func(any) bool) {
	runes := []rune(v)
	half, last := len(runes)/2, len(runes)-1
	if len(runes) == 0 {
		return
	}
	for _, part := range []string{"", "a", string(runes[:half]), string(runes[half:]), string(runes[:last]), string(runes[1:])} {
		if len(part) < len(v) && !yield(part) {
			return
		}
	}
	if plain := strings.Repeat("a", len(runes)); plain != v {
		yield(plain)
	}
}
