package mcpserver

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Bounds on the IDs of requests.
const (
	maxIDBytes   = 256
	maxIDInteger = 1<<53 - 1 // what every JSON reader keeps exactly
)

// Methods that are looked at before the SDK sees them.
const (
	methodCall      = "tools/call"
	methodCancelled = "notifications/cancelled"
	methodListen    = "subscriptions/listen"
)

// refusal is why a message is not taken, for its sender.
type refusal struct {
	code    int64
	message string
	id      json.RawMessage // as the sender wrote it; empty when there is none to give back
}

// line is the refusal as a message.
func (r *refusal) line() []byte {
	id := r.id
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	text, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   jsonrpc.Error   `json:"error"`
	}{"2.0", id, jsonrpc.Error{Code: r.code, Message: r.message}})
	if err != nil { // the ID was checked, and the rest is ours
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"the refusal cannot be written"}}`)
	}
	return text
}

func invalidRequest(id json.RawMessage, message string) *refusal {
	return &refusal{code: jsonrpc.CodeInvalidRequest, message: message, id: id}
}

// parseMessage reads one message. The SDK's own reader rounds IDs, ends the session at
// what it cannot read, and takes several spellings of one field.
func parseMessage(data []byte) (jsonrpc.Message, *refusal) {
	if !utf8.Valid(data) || !json.Valid(data) {
		return nil, &refusal{code: jsonrpc.CodeParseError, message: "this is no JSON; write one message as one line of UTF-8"}
	}
	data = bytes.TrimLeft(data, " \t\r\n")
	switch data[0] {
	case '[':
		return nil, invalidRequest(nil, "batches are not part of the protocol; send one message at a time")
	case '{':
	default:
		return nil, invalidRequest(nil, "a message is a JSON object")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, &refusal{code: jsonrpc.CodeParseError, message: "this is no JSON object"}
	}
	id, rawID, bad := parseID(fields, "id")
	if bad != "" {
		return nil, invalidRequest(rawID, bad)
	}
	if string(fields["jsonrpc"]) != `"2.0"` {
		return nil, invalidRequest(rawID, `jsonrpc must be "2.0"`)
	}
	if fields["method"] == nil {
		return parseResponse(fields, id)
	}
	var method string
	if err := json.Unmarshal(fields["method"], &method); err != nil {
		return nil, invalidRequest(rawID, "method must be a string")
	}
	if method == methodCancelled {
		if bad := checkCancelled(fields["params"]); bad != "" {
			return nil, invalidRequest(nil, bad)
		}
	}
	return &jsonrpc.Request{ID: id, Method: method, Params: fields["params"]}, nil
}

// parseResponse reads the answer to a request of ours.
func parseResponse(fields map[string]json.RawMessage, id jsonrpc.ID) (jsonrpc.Message, *refusal) {
	if !id.IsValid() || fields["result"] == nil == (fields["error"] == nil) {
		return nil, invalidRequest(nil, "a message has a method, or an id and either result or error")
	}
	response := &jsonrpc.Response{ID: id, Result: fields["result"]}
	if fields["error"] != nil {
		var e jsonrpc.Error
		if err := json.Unmarshal(fields["error"], &e); err != nil {
			return nil, invalidRequest(nil, "error must have a code and a message")
		}
		response.Error = &e
	}
	return response, nil
}

// parseID reads the ID in a field; one that is not there is the zero ID. What is wrong
// with it is told in words, and raw is what of it may be given back.
func parseID(fields map[string]json.RawMessage, name string) (id jsonrpc.ID, raw json.RawMessage, bad string) {
	raw = fields[name]
	if raw == nil {
		return jsonrpc.ID{}, nil, ""
	}
	var value any
	isNumber := raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
	switch {
	case len(raw) > maxIDBytes:
		return id, nil, name + " is longer than " + strconv.Itoa(maxIDBytes) + " bytes"
	case isNumber:
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil || n > maxIDInteger || n < -maxIDInteger {
			return id, raw, name + " must be a string, or an integer between -(2^53-1) and 2^53-1 without fraction or exponent"
		}
		value = float64(n)
	case raw[0] == '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return id, nil, name + " is no string"
		}
		value = text
	default:
		return id, nil, name + " must be a string or an integer"
	}
	id, err := jsonrpc.MakeID(value)
	if err != nil {
		return id, nil, name + " must be a string or an integer"
	}
	return id, raw, ""
}

// checkCancelled looks at the ID that a cancellation names, which the SDK would round to
// that of another request.
func checkCancelled(params json.RawMessage) (bad string) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(params, &fields); err != nil {
		return "params of " + methodCancelled + " must be an object with requestId"
	}
	id, _, bad := parseID(fields, "requestId")
	if bad == "" && !id.IsValid() {
		return methodCancelled + " needs requestId"
	}
	return bad
}

// cancelledID is the ID that a cancellation names, after checkCancelled.
func cancelledID(params json.RawMessage) jsonrpc.ID {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(params, &fields); err != nil {
		return jsonrpc.ID{}
	}
	id, _, _ := parseID(fields, "requestId")
	return id
}
