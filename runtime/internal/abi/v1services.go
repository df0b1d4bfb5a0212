package abi

import (
	"encoding/json"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

const (
	// maxRequestBody limits the body of one request in bytes. The HTTP client may allow less.
	maxRequestBody = 10 << 20
	// maxSecretName is longer than the name of any secret or tool, in bytes.
	maxSecretName = 256
)

// web adds HTTP and secrets.
func (x v1Exporter) web() {
	x.add("http_request", 4, func(a args) (uint32, error) {
		head, body := a.bytes(0), a.bytes(2)
		w := a.call.Bindings.HTTP
		if w == nil || a.call.IsWarmUp {
			return 0, errNoWeb
		}
		return a.call.request(w, head, body)
	})
	x.add("http_head", 3, func(a args) (uint32, error) {
		buffer := a.bytes(1)
		head, err := a.call.web().Head(a.u32(0))
		return copyOut(head, buffer), err
	})
	x.add("http_read", 3, func(a args) (uint32, error) {
		n, err := a.call.web().Read(a.u32(0), a.bytes(1))
		return uint32(n), err
	})
	x.add("http_close", 1, func(a args) (uint32, error) { return 0, a.call.web().CloseResponse(a.u32(0)) })
	x.add("secret_exists", 2, func(a args) (uint32, error) {
		name := a.bytes(0)
		return number(!a.call.IsWarmUp && len(name) <= maxSecretName && a.call.Bindings.SecretExists(string(name))), nil
	})
}

// noWeb is the HTTP client of calls without HTTP.
var noWeb = new(hostfuncs.HTTP)

// web returns the HTTP client of the call. A call without HTTP gets a client that has no responses.
func (c *Call) web() *hostfuncs.HTTP {
	if w := c.Bindings.HTTP; w != nil && !c.IsWarmUp {
		return w
	}
	return noWeb
}

// request sends a request. The guest waits for the response, so its memory does not change during
// the request.
func (c *Call) request(w *hostfuncs.HTTP, head, body []byte) (handle uint32, err error) {
	if len(body) > maxRequestBody {
		return 0, errBodyTooLarge
	}
	return w.Request(c.hostContext(), head, body)
}

// Errors for requests that are not sent.
var (
	errNoWeb        = notGranted("no HTTP request is permitted; the manifest must ask for it with [[permissions.net]], and the operator must grant it")
	errBodyTooLarge = &hostfuncs.Error{Code: hostfuncs.CodeTooMuch, Kind: "too_large", Message: "the body of the request is too large; the limit is 10 MiB"}
)

// tools adds calls of other tools.
func (x v1Exporter) tools() {
	x.add("tool_call", 4, func(a args) (uint32, error) {
		name, arguments := a.bytes(0), a.bytes(2)
		if a.call.IsWarmUp {
			return 0, errNoTools
		}
		answer := a.call.callTool(hostfuncs.ToolCall{Tool: string(name[:min(len(name), maxSecretName)]), Arguments: arguments})
		a.call.toolResult = answer.Result
		return uint32(len(answer.Result)), answer.Err
	})
	x.add("tool_result", 2, func(a args) (uint32, error) { return copyOut(a.call.toolResult, a.bytes(0)), nil })
}

func (c *Call) callTool(call hostfuncs.ToolCall) hostfuncs.ToolAnswer {
	return c.Bindings.CallTools(c.hostContext(), []hostfuncs.ToolCall{call})[0]
}

// errNoTools is the error for a module that calls a tool before it serves a call.
var errNoTools = notGranted("no tool can be called while the module is prepared for its calls")

// store adds the key-value store.
func (x v1Exporter) store() {
	x.add("kv_get", 4, func(a args) (uint32, error) {
		key, buffer := a.bytes(0), a.bytes(2)
		value, err := a.call.store().Get(a.call.hostContext(), key)
		return copyOut(value, buffer), err
	})
	x.add("kv_put", 4, func(a args) (uint32, error) {
		return 0, a.call.store().Put(a.call.hostContext(), a.bytes(0), a.bytes(2))
	})
	x.add("kv_delete", 2, func(a args) (uint32, error) { return 0, a.call.store().Delete(a.call.hostContext(), a.bytes(0)) })
	x.add("kv_swap", 6, func(a args) (uint32, error) {
		swapped, err := a.call.store().Swap(a.call.hostContext(), a.bytes(0), a.optional(2), a.optional(4))
		return number(swapped), err
	})
	x.add("kv_list", 6, func(a args) (uint32, error) {
		prefix, after, buffer := a.bytes(0), a.bytes(2), a.bytes(4)
		keys, err := a.call.store().List(a.call.hostContext(), prefix, after)
		if err != nil {
			return 0, err
		}
		text, err := json.Marshal(append([]string{}, keys...)) // an empty list, not null
		return copyOut(text, buffer), err
	})
}

// store returns the store of the call, or nil.
func (c *Call) store() *hostfuncs.Store {
	if c.IsWarmUp {
		return nil
	}
	return c.Bindings.Store
}
