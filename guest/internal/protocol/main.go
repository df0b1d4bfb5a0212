// Command protocol is a tool for the tests of the SDKs. It does one thing with the SDK for each
// call, and says what came of it. test/sdk has the same program in the other languages.
package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest/digest"
	"github.com/wasmtool/wasmtool/guest/files"
	"github.com/wasmtool/wasmtool/guest/guesthttp"
	"github.com/wasmtool/wasmtool/guest/secret"
	"github.com/wasmtool/wasmtool/guest/tools"
)

type input struct {
	Do     string  `json:"do"`
	Text   string  `json:"text"`
	N      int64   `json:"n"`
	Total  float64 `json:"total"`
	Key    string  `json:"key"`
	After  string  `json:"after"`
	Old    *string `json:"old"`
	Value  *string `json:"value"`
	Hex    bool    `json:"hex"`
	Method string  `json:"method"`
	URL    string  `json:"url"`
	Header string  `json:"header"`
	Manual bool    `json:"manual"`
	JSON   string  `json:"json"`
}

// binary is not UTF-8 and has a NUL.
const binary = "\xff\x00A\xc3("

func main() {
	switch guest.CurrentCall().Tool {
	case "quote":
		guest.Run(func(_ context.Context, in input) (any, error) {
			return map[string]any{"text": in.Text, "n": in.N}, nil
		})
	case "blocks":
		guest.Run(blocks)
	default:
		guest.Run(act)
	}
}

func blocks(_ context.Context, in input) (guest.Result, error) {
	if in.Do == "fail" {
		return guest.Failf("%s", in.Text), nil
	}
	return guest.Result{
		Content: []guest.Content{
			guest.Text(in.Text), guest.Text(binary), guest.Image([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), "image/gif"),
			guest.Audio([]byte("RIFF\x04\x00\x00\x00WAVE"), "audio/wav"), guest.Resource("note:a", "text/plain", in.Text, nil),
			guest.Resource("note:b", "application/x-b", "", []byte(binary)),
		},
		Structured: map[string]any{"n": in.N}, Title: "A title", Metadata: map[string]any{"m": []int{1}},
	}, nil
}

func act(_ context.Context, in input) (string, error) {
	var value string
	var err error
	switch what, _, _ := strings.Cut(in.Do, "_"); what {
	case "echo":
		return in.Text, nil
	case "fail":
		return "", errors.New(in.Text)
	case "kv":
		value, err = store(in)
	case "http":
		value, err = request(in)
	case "file":
		value, err = file(in)
	default:
		value, err = about(in)
	}
	var refused *guest.HostError
	if errors.As(err, &refused) {
		if !strings.HasSuffix(in.Do, "_many") {
			value = ""
		}
		return fmt.Sprintf("%serror %s sent=%v %s", value, refused.Kind, refused.Sent, refused.Message), nil
	}
	return "ok " + value, err
}

// about talks to the host about the call.
func about(in input) (string, error) {
	switch in.Do {
	case "log":
		guest.Logf(guest.Level(in.N), "%s", in.Text)
	case "progress":
		guest.Progress(float64(in.N), in.Total, in.Text)
	case "update":
		var metadata map[string]any
		if in.JSON != "" {
			if err := json.Unmarshal([]byte(in.JSON), &metadata); err != nil {
				return "", err
			}
		}
		return "", guest.Update(in.Text, metadata)
	case "update_long":
		return "", guest.Update(strings.Repeat("x", int(in.N)), nil)
	case "partial":
		return "", guest.Partial(in.Text)
	case "partial_often":
		for range in.N {
			if err := guest.Partial(in.Text); err != nil {
				return "", err
			}
		}
	case "secret":
		return fmt.Sprint(secret.Exists(in.Key)), nil
	case "sha256":
		return hex.EncodeToString(sum([]byte(strings.Repeat(in.Text, int(max(1, in.N)))))), nil
	case "cancelled": // the host stops a guest whose call was cancelled, also in this SDK
	case "context":
		c := guest.CurrentCall()
		mounts := ""
		for _, m := range c.Mounts {
			mounts += " " + m.Path + ":" + m.Mode
		}
		return fmt.Sprintf("%s %s %s %s %s %s%s settings %s tools %s", c.Tool, c.ID, c.Session, c.Message, c.IdempotencyKey, c.WorkingDirectory, mounts, c.Settings["engine"], strings.Join(c.Tools, " ")), nil
	case "call":
		r, err := tools.Call(in.Key, json.RawMessage(in.JSON))
		return strings.TrimSpace(r.Text() + " " + string(r.Structured)), err
	default:
		return "", fmt.Errorf("the argument do is %q, which is not an action of this tool", in.Do)
	}
	return "", nil
}

func request(in input) (string, error) {
	client := &http.Client{Transport: guesthttp.Transport{}}
	if in.Manual {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	body := in.Text
	if in.Do == "http_long" {
		body = strings.Repeat("x", int(in.N))
	}
	for i := range max(1, in.N) {
		req, err := http.NewRequest(in.Method, in.URL, strings.NewReader(body))
		if err != nil {
			return "", err
		}
		if name, value, ok := strings.Cut(in.Header, ": "); ok {
			req.Header.Set(name, value)
		}
		res, err := client.Do(req)
		if err != nil {
			return done(i), err
		}
		switch in.Do {
		case "http_many":
			res.Body.Close()
		case "http_open_many":
		default:
			defer res.Body.Close()
			got, err := io.ReadAll(res.Body)
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%d %s answer=%s body=%s", res.StatusCode, res.Request.URL, res.Header.Get("X-Answer"), show(in, got)), nil
		}
	}
	return "all", nil
}

// done says how much was done before an error.
func done(n int64) string { return fmt.Sprintf("%d and ", n) }

func file(in input) (string, error) {
	if in.Do == "file_replace" {
		err := files.Dir("").Replace(in.Key, []byte(in.Text), nil)
		if refused := (*guest.HostError)(nil); err != nil && !errors.As(err, &refused) {
			return "refused", nil
		}
		return "", err
	}
	content, err := os.ReadFile(in.Key)
	if err != nil {
		return "refused", nil
	}
	return show(in, content), nil
}

func sum(data []byte) []byte {
	d := digest.SHA256(data)
	return d[:]
}

// show returns bytes in a form that a transcript can have.
func show(in input, data []byte) string {
	switch {
	case len(data) > 500:
		return fmt.Sprintf("%d bytes %x", len(data), sum(data))
	case in.Hex:
		return hex.EncodeToString(data)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(string(data)) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
