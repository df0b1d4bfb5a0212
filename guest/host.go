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

// Logf sends a log line to the clients that watch the call; the line is not part of the result. The
// host truncates a line to 8 KiB. For each call it keeps at most 1000 lines and at most 256 KiB.
// Outside wasip1 Logf writes to standard error.
func Logf(level Level, format string, args ...any) {
	hostLog(level, fmt.Sprintf(format, args...))
}

// Progress reports that done of total units of work are complete. message says what the tool is
// doing now. The tool chooses the unit, such as files or bytes; a total of 0 means unknown. A tool
// may call Progress at any rate: the host forwards at most 20 reports a second. Outside wasip1
// Progress does nothing.
func Progress(done, total float64, message string) { hostProgress(done, total, message) }

// Update reports what the call is doing or has found: a short title for people, and named values
// for programs. The values must be encodable as JSON. A value replaces the earlier value of the
// same name. Either argument may be empty.
//
// The JSON of an update is limited to 16 KiB, and the title is truncated to 256 bytes. The host
// accepts at most 20 updates a second. It refuses others with a *HostError of the kind too_large or
// too_many; a refused update has no effect. Outside wasip1 Update does nothing.
func Update(title string, metadata map[string]any) error {
	update := map[string]any{}
	if title != "" {
		update["title"] = title
	}
	if len(metadata) > 0 {
		update["metadata"] = metadata
	}
	text, err := appendJSON(nil, update, 0)
	if err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	_, err = host.Check(hostUpdate(text))
	return err
}

// Partial reports text as the result so far, for clients that show results as they grow. It
// replaces the text of the previous call of Partial, and the result of the tool replaces it.
// Partial has the limits of [Update]: send the end of a long text. Outside wasip1 Partial does
// nothing.
func Partial(text string) error {
	update := append(appendText([]byte(`{"content":[{"type":"text","text":`), text), "}]}"...)
	_, err := host.Check(hostUpdate(update))
	return err
}

// HostError is the error of a request that the host refused or could not carry out.
type HostError = host.Error

// Call describes the running call.
type Call struct {
	// Tool is the name of the tool. ID identifies the call.
	Tool string `json:"tool"`
	ID   string `json:"call_id"`
	// Session names the conversation, and Message the message in it, that the call belongs to.
	// Either may be empty.
	Session string `json:"session"`
	Message string `json:"message"`
	// IdempotencyKey is the same for all attempts of the call. Pass it to a server that supports
	// such keys. The server then executes a repeated request only once.
	IdempotencyKey string `json:"idempotency_key"`
	// WorkingDirectory is the directory to which relative paths in the arguments refer. Empty
	// means the root of the workspace.
	WorkingDirectory string `json:"working_directory"`
	// Mounts are the directories of the operator that the call may access, in the order of the
	// manifest, without the call's own directory /tmp.
	Mounts []Mount `json:"mounts,omitempty"`
	// Settings are the values of the manifest's settings by name: the operator's value, or else the
	// author's default. Settings is nil if the manifest has none.
	Settings map[string]string `json:"settings,omitempty"`
	// Tools are the names of the tools that the tool may call, in order. MoreTools is the number of
	// further tools that the list leaves out.
	Tools     []string `json:"tools,omitempty"`
	MoreTools int      `json:"more_tools,omitempty"`
}

// Mount is a directory of the operator that a call may access.
type Mount struct {
	// Path is the absolute path in the guest, and Mode is "read" or "write".
	Path string `json:"path"`
	Mode string `json:"mode"`
}

// CurrentCall returns the running call. It is the zero Call in a warm-up and outside wasip1.
func CurrentCall() Call {
	var c Call
	_ = json.Unmarshal(host.ReadAll(hostContext), &c) // the host's JSON is always valid
	return c
}
