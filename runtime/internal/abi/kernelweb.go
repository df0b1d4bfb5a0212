package abi

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs"
)

// web adds HTTP as Extism defines it: a request returns the body of its response, and separate
// functions return status and headers.
func (x extismExporter) web() {
	x.add("http_request", func(k *kernel, stack []uint64) {
		head, body := stack[0], stack[1]
		stack[0] = k.exchange(head, body)
		k.release(head) // plug-ins expect the host to free the block
		k.release(body)
	}, gives64, i64, i64)
	x.add("http_status_code", func(k *kernel, stack []uint64) { stack[0] = uint64(k.status) }, gives32)
	x.add("http_headers", func(k *kernel, stack []uint64) { stack[0] = k.put(k.headers) }, gives64)
}

// WebFailure ends a call whose HTTP request failed, because the ABI cannot report the failure to
// the plug-in.
type WebFailure struct{ message string }

func (f *WebFailure) Error() string { return "the HTTP request failed: " + f.message }

// exchange sends a request: the parameter head is the block with its head, and body the block with
// its body. It returns the offset of the response body. It ends the call if there is no response.
func (k *kernel) exchange(head, body uint64) uint64 {
	k.status, k.headers = 0, nil
	at, err := k.send(k.block(head), k.block(body))
	if !k.call.MayGoOn() {
		k.end(ErrOver) // the reason is already recorded
	}
	if err != nil {
		// drop an earlier message of the plug-in, which does not explain this failure
		k.call.Failure = ErrorText{}
		k.end(&WebFailure{guestError(err).Message})
	}
	return at
}

func (k *kernel) send(head, body []byte) (at uint64, err error) {
	w := k.call.Bindings.HTTP
	if w == nil {
		return 0, errNoWeb
	}
	ours, err := extismRequest(head)
	if err != nil {
		return 0, err
	}
	handle, err := k.call.request(w, ours, body)
	if err != nil {
		return 0, err
	}
	defer func() { _ = w.CloseResponse(handle) }()
	answer, err := w.Head(handle)
	if err != nil {
		return 0, err
	}
	if err := k.keepHead(answer); err != nil {
		return 0, err
	}
	return k.receive(func(p []byte) (int, error) { return w.Read(handle, p) })
}

// extismRequest converts the head of a request into the format of package hostfuncs.
func extismRequest(head []byte) ([]byte, error) {
	bad := &hostfuncs.Error{Code: hostfuncs.CodeInvalid, Kind: "url", Message: "the plug-in's request is too large, or not a JSON object as Extism defines it"}
	if len(head) > hostfuncs.MaxRequestHead {
		return nil, bad
	}
	var theirs struct {
		URL     string            `json:"url"`
		Method  string            `json:"method"`
		Headers map[string]string `json:"headers"`
	}
	if err := json.Unmarshal(head, &theirs); err != nil {
		return nil, bad
	}
	theirs.Method = cmp.Or(theirs.Method, "GET")
	pairs := [][2]string{}
	for _, name := range SortedKeys(theirs.Headers) {
		pairs = append(pairs, [2]string{name, theirs.Headers[name]})
	}
	return json.Marshal(map[string]any{"method": strings.ToUpper(theirs.Method), "url": theirs.URL, "headers": pairs})
}

// keepHead stores the status and headers of a response. Names are lower case, and the values of
// headers with equal names are joined.
func (k *kernel) keepHead(head []byte) error {
	var ours struct {
		Status  uint32      `json:"status"`
		Headers [][2]string `json:"headers"`
	}
	if err := json.Unmarshal(head, &ours); err != nil {
		return err
	}
	values := make(map[string][]string)
	for _, pair := range ours.Headers {
		name := strings.ToLower(pair[0])
		values[name] = append(values[name], pair[1])
	}
	joined := make(map[string]string, len(values))
	for name, all := range values {
		joined[name] = strings.Join(all, ",")
	}
	text, err := json.Marshal(joined)
	k.status, k.headers = ours.Status, text
	return err
}
