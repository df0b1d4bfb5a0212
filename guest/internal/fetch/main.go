// Command fetch is a tool for tests of the SDK. It uses net/http and the store as tool authors
// do.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest/guesthttp"
	"github.com/wasmtool/wasmtool/guest/kv"
)

type input struct {
	Do    string `json:"do"`
	URL   string `json:"url"`
	Key   string `json:"key"`
	Value string `json:"value"`
}

func main() {
	http.DefaultTransport = guesthttp.Transport{}
	guest.Run(fetch)
}

func fetch(_ context.Context, in input) (string, error) {
	switch in.Do {
	case "get":
		res, err := http.Get(in.URL)
		return show(res, err)
	case "post":
		res, err := http.Post(in.URL, "text/plain", strings.NewReader(in.Value))
		return show(res, err)
	case "unread":
		for range 30 { // more responses than may be open at once
			res, err := http.Get(in.URL)
			if err != nil {
				return "", err
			}
			res.Body.Close()
		}
		return "closed", nil
	case "kv.get":
		value, err := kv.Get(in.Key)
		if errors.Is(err, kv.ErrNotFound) {
			return "not there", nil
		}
		return string(value), err
	case "kv.put":
		return "put", kv.Put(in.Key, []byte(in.Value))
	case "kv.swap":
		swapped, err := kv.Swap(in.Key, nil, []byte(in.Value))
		return fmt.Sprint(swapped), err
	case "kv.delete":
		return "deleted", kv.Delete(in.Key)
	case "kv.list":
		keys, err := kv.List(in.Key, "")
		return strings.Join(keys, ","), err
	}
	return "", fmt.Errorf(`the argument "do" is %q, which is not an action of this tool`, in.Do)
}

func show(res *http.Response, err error) (string, error) {
	var refused *guesthttp.HostError
	if errors.As(err, &refused) {
		return fmt.Sprintf("host error %s, sent %v", refused.Kind, refused.Sent), nil
	}
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return fmt.Sprintf("%s %s", res.Status, body), err
}
