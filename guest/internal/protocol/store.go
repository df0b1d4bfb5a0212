package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/guest/kv"
)

// store uses the tool's store.
func store(in input) (string, error) {
	switch in.Do {
	case "kv_get":
		value, err := kv.Get(in.Key)
		if errors.Is(err, kv.ErrNotFound) {
			return "absent", nil
		}
		return show(in, value), err
	case "kv_put":
		return "", kv.Put(in.Key, []byte(in.Text))
	case "kv_put_binary":
		return "", kv.Put(in.Key, []byte(binary))
	case "kv_put_long":
		return "", kv.Put(in.Key, []byte(strings.Repeat("x", int(in.N))))
	case "kv_put_many":
		for i := range in.N {
			if err := kv.Put(fmt.Sprintf("%s%03d", in.Key, i), []byte("v")); err != nil {
				return done(i), err
			}
		}
		return "all", nil
	case "kv_delete":
		return "", kv.Delete(in.Key)
	case "kv_swap":
		swapped, err := kv.Swap(in.Key, optional(in.Old), optional(in.Value))
		return fmt.Sprint(swapped), err
	case "kv_list":
		keys, err := kv.List(in.Key, in.After)
		return strings.Join(keys, " "), err
	}
	return "", fmt.Errorf("the argument do is %q, which is not an action of this tool", in.Do)
}

func optional(text *string) []byte {
	if text == nil {
		return nil
	}
	return []byte(*text)
}
