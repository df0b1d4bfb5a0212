package tool

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// ErrorView is an error in the shape {name, message, details, recoverable}, in which other
// systems expect one.
type ErrorView struct {
	// Name is that of the error's code; see Code.Name.
	Name        string           `json:"name"`
	Message     string           `json:"message"`
	Details     ErrorViewDetails `json:"details"`
	Recoverable bool             `json:"recoverable"`
}

// ErrorViewDetails are the details of an ErrorView.
type ErrorViewDetails struct {
	ToolName string `json:"toolName,omitempty"`
	// Input are the arguments of the call without what may be secret; see View.
	Input json.RawMessage `json:"input,omitempty"`
}

// View returns the error in the shape of an ErrorView, with the arguments of the call, nil
// for none. Values whose names tell that they are secret, such as "password", "api_key" or
// "access_token", are "[redacted]"; numbers stay exact. Arguments that are no JSON are left
// out, and so is the cause, which is for logs.
func (e *Error) View(input json.RawMessage) ErrorView {
	return ErrorView{
		Name: e.Code.Name(), Message: e.Message, Recoverable: e.Recoverable,
		Details: ErrorViewDetails{ToolName: e.Tool, Input: redacted(input)},
	}
}

// FailureView is an error in the shape {status, tool, error}, as a model is told of it.
type FailureView struct {
	Status string `json:"status"` // always "error"
	Tool   string `json:"tool"`
	Error  string `json:"error"`
}

// Failure returns the error in the shape of a FailureView.
func (e *Error) Failure() FailureView {
	return FailureView{Status: "error", Tool: e.Tool, Error: e.Message}
}

const redaction = "[redacted]"

// redacted returns a JSON value without what its names tell to be secret; nil for what is
// no JSON.
func redacted(raw json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if !json.Valid(raw) || decoder.Decode(&value) != nil {
		return nil
	}
	clean, _ := exactJSON(redactedValue(value)) // what was read as JSON is JSON again
	return clean
}

func redactedValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			if v[name] != nil && tellsSecret(name) {
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

// secretWords are parts of names of what nobody should read, in lower case and without
// what joins words.
var secretWords = []string{
	"password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey", "authorization", "credential", "cookie",
}

// tellsSecret reports whether a name is that of a secret. "token" ends one, while there
// are tokens that are only counted.
func tellsSecret(name string) bool {
	plain := strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(name))
	return strings.HasSuffix(plain, "token") ||
		slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(plain, word) })
}
