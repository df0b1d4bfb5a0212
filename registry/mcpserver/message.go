package mcpserver

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// Limits of the IDs of requests.
const (
	maxIDBytes   = 256
	maxIDInteger = 1<<53 - 1 // exact in every JSON reader
)

// Methods that are inspected before the SDK sees them.
const (
	methodCall      = "tools/call"
	methodCancelled = "notifications/cancelled"
	methodListen    = "subscriptions/listen"
	methodSetLevel  = "logging/setLevel"
)

// refusal is the error response to a message that is refused.
type refusal struct {
	code    int64
	message string
	id      json.RawMessage // ID as the sender wrote it; empty if the ID cannot be sent back
}

// line returns the refusal as a JSON-RPC message.
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
	if err != nil { // impossible, because the ID was parsed
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"the error cannot be encoded"}}`)
	}
	return text
}

func invalidRequest(id json.RawMessage, message string) *refusal {
	return &refusal{code: jsonrpc.CodeInvalidRequest, message: message, id: id}
}

// messageFields are the fields of a message that the server reads. It ignores other fields.
var messageFields = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// parseMessage parses one message strictly. The SDK's own reader rounds IDs, ends the session at
// invalid input, and uses the last of two fields with the same name.
func parseMessage(data []byte) (jsonrpc.Message, *refusal) {
	message, err := jsontree.Parse(data, jsontree.Message()) // the transport has limited the size
	if err != nil {
		return nil, unreadable(data, err)
	}
	switch message.Kind {
	case jsontree.Array:
		return nil, invalidRequest(nil, "batches are not part of the protocol; send one message at a time")
	case jsontree.Object:
	default:
		return nil, invalidRequest(nil, "a message must be a JSON object")
	}
	fields := make(map[string]json.RawMessage)
	for _, m := range message.Members {
		if slices.Contains(messageFields, m.Name) {
			fields[m.Name] = m.Value.JSON()
		}
	}
	id, rawID, bad := parseID(fields["id"], "id")
	if bad != "" {
		return nil, invalidRequest(rawID, bad)
	}
	if string(fields["jsonrpc"]) != `"2.0"` {
		return nil, invalidRequest(rawID, `jsonrpc must be "2.0"`)
	}
	if fields["method"] == nil {
		return parseResponse(&message, fields, id, rawID)
	}
	if message.Member("method").Kind != jsontree.String {
		return nil, invalidRequest(rawID, "method must be a string")
	}
	method := message.Member("method").Text()
	if method == methodCancelled {
		if _, bad := cancelledID(fields["params"]); bad != "" {
			return nil, invalidRequest(nil, bad)
		}
	}
	if level := message.Member("params").Member("level"); method == methodSetLevel && !isLogLevel(level) {
		return nil, &refusal{
			code: jsonrpc.CodeInvalidParams, id: rawID,
			message: "params.level must be one of " + strings.Join(logLevels, ", "),
		}
	}
	if answers := message.Member("params").Member("inputResponses"); answers != nil {
		for _, m := range answers.Members {
			if bad := misspelt(&m.Value); bad != "" {
				return nil, invalidRequest(rawID, bad)
			}
		}
	}
	return &jsonrpc.Request{ID: id, Method: method, Params: fields["params"]}, nil
}

// logLevels are the levels of logging/setLevel (MCP 2025-11-25, LoggingLevel). The SDK accepts
// any string.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func isLogLevel(v *jsontree.Value) bool {
	return v != nil && v.Kind == jsontree.String && slices.Contains(logLevels, v.Text())
}

// unreadable returns the refusal of a message that is not strict JSON. It has the ID of the
// message if only other fields are invalid.
func unreadable(data []byte, why error) *refusal {
	if !utf8.Valid(data) || !json.Valid(data) {
		return &refusal{code: jsonrpc.CodeParseError, message: "this is not JSON; write one message as one line of UTF-8"}
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return invalidRequest(nil, why.Error())
	}
	var id json.RawMessage
	for decoder.More() {
		name, _ := decoder.Token()
		var value json.RawMessage
		// the value is unreadable, or this is a second ID
		if decoder.Decode(&value) != nil || name == "id" && id != nil {
			return invalidRequest(nil, why.Error())
		}
		if name == "id" {
			id = value
		}
	}
	_, id, _ = parseID(id, "id")
	return invalidRequest(id, why.Error())
}

// parseResponse parses the response to a request of the server.
func parseResponse(message *jsontree.Value, fields map[string]json.RawMessage, id jsonrpc.ID, rawID json.RawMessage) (jsonrpc.Message, *refusal) {
	if !id.IsValid() || fields["result"] == nil == (fields["error"] == nil) {
		refused := invalidRequest(nil, "a message must have a method, or an id and either result or error")
		if fields["result"] == nil && fields["error"] == nil {
			// this may be a request without a method, whose sender waits for a response
			refused.id = rawID
		}
		return nil, refused
	}
	response := &jsonrpc.Response{ID: id, Result: fields["result"]}
	if result := message.Member("result"); result != nil {
		if bad := misspelt(result); bad != "" {
			return nil, invalidRequest(nil, bad)
		}
	}
	if field := message.Member("error"); field != nil {
		e, ok := parseError(field)
		if !ok {
			return nil, invalidRequest(nil, "error must have a code and a message")
		}
		response.Error = e
	}
	return response, nil
}

// parseError reads the error of a response.
func parseError(v *jsontree.Value) (*jsonrpc.Error, bool) {
	var e jsonrpc.Error
	code, message := v.Member("code"), v.Member("message")
	if code == nil || message == nil || message.Kind != jsontree.String || code.Decode(&e.Code) != nil {
		return nil, false
	}
	e.Message = message.Text()
	if data := v.Member("data"); data != nil {
		e.Data = data.JSON()
	}
	return &e, true
}

// answerFields are the fields of a client's answer to a question of the server. The SDK matches
// them without regard to case.
var answerFields = []string{"action", "content", "model", "role", "roots", "stopReason", "_meta"}

// misspelt returns an error message if a field of an answer differs from a known field only in
// case, and "" otherwise.
func misspelt(answer *jsontree.Value) (bad string) {
	for _, name := range answer.Names() {
		for _, known := range answerFields {
			if name != known && strings.EqualFold(name, known) {
				return "a field of an answer must be spelt " + known
			}
		}
	}
	return ""
}

// parseID parses raw, the ID in the field with the given name; for a nil raw, it returns the zero
// ID. The result bad is an error message, or "". back is the ID for an error response; nil if the
// ID is not valid in a response.
func parseID(raw json.RawMessage, name string) (id jsonrpc.ID, back json.RawMessage, bad string) {
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
			return id, nil, name + " is not a valid string"
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

// cancelledID returns the ID in the params of a cancellation. The SDK would round a large ID,
// possibly to the ID of another request. The result bad is an error message, or "".
func cancelledID(params json.RawMessage) (id jsonrpc.ID, bad string) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(params, &fields); err != nil {
		return id, "params of " + methodCancelled + " must be an object with requestId"
	}
	id, _, bad = parseID(fields["requestId"], "requestId")
	if bad == "" && !id.IsValid() {
		bad = methodCancelled + " needs requestId"
	}
	return id, bad
}
