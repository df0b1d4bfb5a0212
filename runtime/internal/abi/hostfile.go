package abi

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// A script cannot import functions. It uses the functions of V1 through a file, to which it writes
// requests and from which it reads answers, each a line of JSON: see docs/abi.md. Each use is
// checked in the same way as an import, by the same methods of the call.

// fileRequest is a request to the host's file.
type fileRequest struct {
	Function  string          `json:"function"`
	Arguments json.RawMessage `json:"arguments"`
}

// fileAnswer is its answer. Only one of the fields is set.
type fileAnswer struct {
	Value any              `json:"value"`
	Error *hostfuncs.Error `json:"error,omitempty"`
}

// flexible are bytes: a JSON string or, if they are not UTF-8, an object with "base64".
type flexible []byte

// MarshalJSON returns a string or an object.
func (f flexible) MarshalJSON() ([]byte, error) {
	if utf8.Valid(f) {
		return json.Marshal(string(f))
	}
	return json.Marshal(map[string][]byte{"base64": f})
}

// UnmarshalJSON reads a string or an object.
func (f *flexible) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte{'"'}) {
		var s string
		err := json.Unmarshal(text, &s)
		*f = []byte(s)
		return err
	}
	var coded struct {
		Base64 *[]byte `json:"base64"`
	}
	if err := json.Unmarshal(text, &coded); err != nil || coded.Base64 == nil {
		return errors.Join(err, errors.New("not bytes"))
	}
	*f = *coded.Base64
	return nil
}

// maxFileRead limits the bytes of one http_read.
const maxFileRead = 1 << 20

// serve answers a request to the host's file.
func (g *Guest) serve(request []byte) []byte {
	g.taintByCall(usesCall)
	c := g.current.Load()
	if c == nil || !c.MayGoOn() {
		return nil // the guest ends at its next check
	}
	var a fileAnswer
	value, err := c.serve(request)
	if err != nil {
		c.LastError = guestError(err)
		a.Error = c.LastError
	} else {
		a.Value = value
	}
	return append(a.json(), '\n')
}

// json returns the text of the answer. Its parts can be encoded. Results of tools were encoded
// before, and take the longest to encode again.
func (a fileAnswer) json() []byte {
	if encoded, ok := a.Value.(encodedValue); ok {
		return slices.Concat([]byte(`{"value":`), encoded, []byte(`}`))
	}
	text, err := json.Marshal(a)
	if err != nil {
		return nil
	}
	return text
}

// encodedValue is a value that was encoded by package json.
type encodedValue []byte

func (c *Call) serve(request []byte) (any, error) {
	r, ok := readRequest(request)
	if !ok {
		return nil, invalidRequest(`a request must be a line such as {"function": "kv_get", "arguments": {"key": "a"}}`)
	}
	function := fileFunctions[r.Function]
	if function == nil {
		return nil, invalidRequest("there is no function of this name")
	}
	return function(c, r.Arguments)
}

// readRequest reads the form of a request. Nearly all requests look as if fileRequest had been
// encoded, and need no decoder to find their two fields.
func readRequest(text []byte) (r fileRequest, ok bool) {
	const start, between, end = `{"function":"`, `","arguments":`, "}\n"
	inside, starts := bytes.CutPrefix(text, []byte(start))
	inside, ends := bytes.CutSuffix(inside, []byte(end))
	name, arguments, both := bytes.Cut(inside, []byte(between))
	if starts && ends && both && fileFunctions[string(name)] != nil && json.Valid(arguments) {
		return fileRequest{Function: string(name), Arguments: bytes.Trim(arguments, " \t\r\n")}, true
	}
	return r, hostfuncs.DecodeOne(text, &r)
}

func invalidRequest(message string) *hostfuncs.Error {
	return &hostfuncs.Error{Code: hostfuncs.CodeInvalid, Kind: "request", Message: message}
}

// with returns a function of the file whose arguments are read into an A.
func with[A any](f func(c *Call, a A) (any, error)) func(*Call, json.RawMessage) (any, error) {
	return func(c *Call, text json.RawMessage) (any, error) {
		var a A
		if len(text) > 0 && !hostfuncs.DecodeOne(text, &a) {
			return nil, invalidRequest("the function has other arguments; see docs/abi.md")
		}
		return f(c, a)
	}
}

// fileFunctions are the functions that the host's file offers, by the names of V1. Warm-ups never
// get here, because only commands have the file.
var fileFunctions = map[string]func(*Call, json.RawMessage) (any, error){
	"http_request": with(func(c *Call, a struct {
		Head json.RawMessage `json:"head"`
		Body flexible        `json:"body"`
	},
	) (any, error) {
		w := c.Bindings.HTTP
		if w == nil {
			return nil, errNoWeb
		}
		handle, err := c.request(w, a.Head, a.Body)
		if err != nil {
			return nil, err
		}
		head, err := w.Head(handle)
		return map[string]any{"handle": handle, "head": json.RawMessage(head)}, err
	}),
	"http_read": with(func(c *Call, a struct {
		Handle uint32 `json:"handle"`
		Length uint32 `json:"length"`
	},
	) (any, error) {
		chunk := make([]byte, min(a.Length, maxFileRead))
		n, err := c.web().Read(a.Handle, chunk)
		return map[string][]byte{"base64": chunk[:n]}, err
	}),
	"http_close": with(func(c *Call, a struct {
		Handle uint32 `json:"handle"`
	},
	) (any, error) {
		return nil, c.web().CloseResponse(a.Handle)
	}),
	"secret_exists": with(func(c *Call, a struct {
		Name string `json:"name"`
	},
	) (any, error) {
		return len(a.Name) <= maxSecretName && c.Bindings.SecretExists(a.Name), nil
	}),
	"kv_get": with(func(c *Call, a keyArguments) (any, error) {
		value, err := c.store().Get(c.hostContext(), []byte(a.Key))
		return flexible(value), err
	}),
	"kv_put": with(func(c *Call, a struct {
		Key   string   `json:"key"`
		Value flexible `json:"value"`
	},
	) (any, error) {
		return nil, c.store().Put(c.hostContext(), []byte(a.Key), a.Value)
	}),
	"kv_delete": with(func(c *Call, a keyArguments) (any, error) {
		return nil, c.store().Delete(c.hostContext(), []byte(a.Key))
	}),
	"kv_swap": with(func(c *Call, a struct {
		Key        string    `json:"key"`
		Old, Value *flexible // missing or null means no value
	},
	) (any, error) {
		return c.store().Swap(c.hostContext(), []byte(a.Key), optionalBytes(a.Old), optionalBytes(a.Value))
	}),
	"kv_list": with(func(c *Call, a struct {
		Prefix string `json:"prefix"`
		After  string `json:"after"`
	},
	) (any, error) {
		keys, err := c.store().List(c.hostContext(), []byte(a.Prefix), []byte(a.After))
		return append([]string{}, keys...), err // an empty list, not null
	}),
	"log": with(func(c *Call, a struct {
		Level uint32 `json:"level"`
		Text  string `json:"text"`
	},
	) (any, error) {
		c.Bindings.Messages.Log(hostfuncs.LogLevel(a.Level), []byte(a.Text))
		return nil, nil
	}),
	"progress": with(func(c *Call, a struct {
		Done    float64 `json:"done"`
		Total   float64 `json:"total"`
		Message string  `json:"message"`
	},
	) (any, error) {
		c.Bindings.Messages.Progress(a.Done, a.Total, []byte(a.Message))
		return nil, nil
	}),
	"update": func(c *Call, text json.RawMessage) (any, error) { return nil, c.Bindings.Messages.Update(text) },
	"tool_call": with(func(c *Call, a hostfuncs.ToolCall) (any, error) {
		answer := c.callTool(a)
		return encodedValue(answer.Result), answer.Err
	}),
	"tool_calls": with(func(c *Call, a struct {
		Calls []hostfuncs.ToolCall `json:"calls"`
	},
	) (any, error) {
		if len(a.Calls) > hostfuncs.MaxToolCalls {
			return nil, hostfuncs.ErrTooManyCalls()
		}
		all := encodedValue{'['}
		for i, answer := range c.Bindings.CallTools(c.hostContext(), a.Calls) {
			if i > 0 {
				all = append(all, ',')
			}
			one := fileAnswer{Value: encodedValue(answer.Result)}
			if answer.Err != nil {
				one = fileAnswer{Error: guestError(answer.Err)}
			}
			all = append(all, one.json()...)
		}
		return append(all, ']'), nil
	}),
	"tool_search": with(func(c *Call, a struct {
		Query    string `json:"query"`
		Language string `json:"language"`
		Limit    int    `json:"limit"`
	},
	) (any, error) {
		found, err := c.Bindings.FindTools(a.Query, a.Language, a.Limit)
		return append([]hostfuncs.ToolInfo{}, found...), err
	}),
	"context_read": func(c *Call, _ json.RawMessage) (any, error) { return c.Bindings.CallInfo(), nil },
}

type keyArguments struct {
	Key string `json:"key"`
}

// optionalBytes returns nil for no value, and bytes that are not nil otherwise.
func optionalBytes(f *flexible) []byte {
	if f == nil {
		return nil
	}
	return append([]byte{}, *f...)
}
