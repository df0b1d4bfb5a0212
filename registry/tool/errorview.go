package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// ErrorView is an error in the form {name, message, details, recoverable}, which other systems
// expect.
type ErrorView struct {
	// Name is the name of the error's code; see [Code.Name].
	Name        string           `json:"name"`
	Message     string           `json:"message"`
	Details     ErrorViewDetails `json:"details"`
	Recoverable bool             `json:"recoverable"`
}

// ErrorViewDetails is the details of an [ErrorView].
type ErrorViewDetails struct {
	ToolName string `json:"toolName,omitempty"`
	// Input is the arguments of the call, with secrets redacted; see [Error.View].
	Input json.RawMessage `json:"input,omitempty"`
	// Cause is the message of the cause if the cause is an [Error], too; otherwise empty. Other
	// causes may contain host paths and secrets.
	Cause string `json:"cause,omitempty"`
}

// View returns the error as an [ErrorView]. input is the arguments of the call, or nil. View
// replaces a value with "[redacted]" if its name suggests a secret, such as "password", "api_key"
// or "access_token". Numbers stay exact. View leaves out arguments that are not JSON, and a cause
// that is not an Error.
func (e *Error) View(input json.RawMessage) ErrorView {
	return ErrorView{
		Name: e.Code.Name(), Message: e.Message, Recoverable: e.Recoverable,
		Details: ErrorViewDetails{ToolName: e.Tool, Input: redacted(input), Cause: e.causeMessage()},
	}
}

// causeMessage returns the message of the nearest [Error] among the causes, or "".
func (e *Error) causeMessage() string {
	if cause, ok := errors.AsType[*Error](e.cause); ok {
		return cause.Error()
	}
	return ""
}

// FailureView is an error in the form {status, tool, error}, for a model.
type FailureView struct {
	Status string `json:"status"` // always "error"
	Tool   string `json:"tool"`
	Error  string `json:"error"`
}

// Failure returns the error as a [FailureView].
func (e *Error) Failure() FailureView {
	return FailureView{Status: "error", Tool: e.Tool, Error: e.Message}
}

const redaction = "[redacted]"

// redacted replaces every value in raw whose name suggests a secret. It returns nil if raw is not
// JSON.
func redacted(raw json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if !json.Valid(raw) || decoder.Decode(&value) != nil {
		return nil
	}
	clean, _ := exactJSON(redactedValue(value)) // a value decoded from JSON always encodes
	return clean
}

func redactedValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			if v[name] != nil && namesSecret(name) {
				v[name] = redaction
			} else {
				v[name] = redactedValue(v[name])
			}
		}
	case []any:
		for i := range v {
			v[i] = redactedValue(v[i])
		}
	}
	return value
}

// secretWords are substrings of the names of secrets, in lower case and without separators.
var secretWords = []string{
	"password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey", "authorization", "credential", "cookie",
}

// namesSecret reports whether a name suggests a secret. The word "token" suggests a secret only at
// the end of a name, because names such as "token_count" are not secrets.
func namesSecret(name string) bool {
	plain := strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(name))
	return strings.HasSuffix(plain, "token") ||
		slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(plain, word) })
}
