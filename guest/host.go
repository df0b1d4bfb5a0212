package guest

import (
	"encoding/json"
	"fmt"

	"github.com/wasmtool/wasmtool/guest/internal/host"
)

// Level is the severity of a log line.
type Level uint32

// The severities of log lines.
const (
	Debug Level = iota
	Info
	Warn
	Error
)

// Logf sends a line to the clients that watch the call; the line is not part of the result. The
// host truncates a line at 8 KiB and keeps at most 1000 lines or 256 KiB of a call. Outside
// wasip1 Logf writes to standard error.
func Logf(level Level, format string, args ...any) {
	hostLog(level, fmt.Sprintf(format, args...))
}

// Progress reports how many units of work are done, out of a total; message says what the tool is
// doing now. The units are the tool's own, such as files or bytes; a total of 0 means unknown. Call
// Progress as often as you like: the host forwards at most 20 reports a second. Outside wasip1
// Progress does nothing.
func Progress(done, total float64, message string) { hostProgress(done, total, message) }

// Update reports what the call is doing or has found: a short title for people, and named values
// for programs. The values must be encodable as JSON; each replaces an earlier value of the same
// name. Either argument may be empty.
//
// An update may take at most 16 KiB of JSON, and a title is cut to 256 bytes. The host forwards
// at most 20 updates a second. It refuses others with a *HostError of the kind too_large or
// too_many; a refused update has no effect. Outside wasip1 Update does nothing.
func Update(title string, metadata map[string]any) error {
	text, err := json.Marshal(struct {
		Title    string         `json:"title,omitempty"`
		Metadata map[string]any `json:"metadata,omitempty"`
	}{title, metadata})
	if err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	_, err = host.Check(hostUpdate(text))
	return err
}

// HostError is the error of a request that the host refused or could not carry out.
type HostError = host.Error

// Call describes the running call.
type Call struct {
	// Tool is the name of the tool. ID identifies the call.
	Tool string `json:"tool"`
	ID   string `json:"call_id"`
	// Session and Message identify the place of the call in a conversation. Either may be empty.
	Session string `json:"session"`
	Message string `json:"message"`
	// IdempotencyKey is the same for all attempts of the call. Pass it to a server that supports
	// such keys, so that a repeated request has its effect only once.
	IdempotencyKey string `json:"idempotency_key"`
	// WorkingDirectory is the directory to which relative paths in the arguments refer. Empty
	// means the root of the workspace.
	WorkingDirectory string `json:"working_directory"`
	// Settings are the manifest's settings by name, with the operator's values or the author's
	// defaults. Nil if the manifest has none.
	Settings map[string]string `json:"settings,omitempty"`
	// Tools are the names of the tools that the caller may call, in order. MoreTools is the
	// number of further tools that the list leaves out.
	Tools     []string `json:"tools,omitempty"`
	MoreTools int      `json:"more_tools,omitempty"`
}

// CurrentCall returns the running call. It is the zero Call in a warm-up and outside wasip1.
func CurrentCall() Call {
	var c Call
	_ = json.Unmarshal(host.ReadAll(hostContext), &c) // the host's JSON is always valid
	return c
}
