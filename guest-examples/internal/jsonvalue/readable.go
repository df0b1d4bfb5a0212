package jsonvalue

import (
	"errors"
	"strconv"
)

// Limits of the values that the host reads, as in its package internal/jsontree.
const (
	hostDepth    = 64
	hostValues   = 1 << 18
	hostNumber   = 1024 // bytes
	hostExponent = 1024
)

// Readable returns an error if the host would refuse a document that has v below the given number
// of arrays and objects. The message is for a model.
func (v Value) Readable(above int) error {
	left := hostValues - above
	return v.readable(hostDepth-above, &left)
}

func (v Value) readable(depth int, left *int) error {
	if *left--; *left < 0 {
		return errors.New("the result has too many values; process a smaller part")
	}
	switch v.kind {
	case Number:
		exponent := 0
		if at := exponentMark(v.text); at >= 0 {
			var err error
			if exponent, err = strconv.Atoi(v.text[at+1:]); err != nil {
				exponent = hostExponent + 1
			}
		}
		if len(v.text) > hostNumber || max(exponent, -exponent) > hostExponent {
			return errors.New("the result has a number with too many digits")
		}
	case Array, Object:
		if depth == 0 {
			return errors.New("the result is nested too deeply; process a part of it")
		}
		for _, item := range v.items {
			if err := item.readable(depth-1, left); err != nil {
				return err
			}
		}
		for _, member := range v.Members().All() {
			if err := member.readable(depth-1, left); err != nil {
				return err
			}
		}
	}
	return nil
}
