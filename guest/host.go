package guest

import (
	"encoding/json"
	"fmt"

	"github.com/wasmtool/wasmtool/guest/internal/host"
)

// Level is how much a line of the log matters.
type Level uint32

// The levels of the log.
const (
	Debug Level = iota
	Info
	Warn
	Error
)

// Logf tells a line to whoever watches the call; it is no part of the result. At most
// 8 KiB of a line are kept, and 1000 lines or 256 KiB of a call. Outside of wasip1 it
// goes to standard error.
func Logf(level Level, format string, args ...any) {
	hostLog(level, fmt.Sprintf(format, args...))
}

// Progress tells how far the tool is: done of total in units of its own, such as files or
// bytes, and what it does at the moment. total is 0 when it is not known. Call it as often
// as you like; the host hands on at most twenty of them a second. Outside of wasip1 it does
// nothing.
func Progress(done, total float64, message string) { hostProgress(done, total, message) }

// Update tells what the call is doing or has found, in a few words for people, and values
// by name, which JSON must be able to hold; each takes the place of the one before of that
// name. Either may be empty. An update has at most 16 KiB of JSON, 256 bytes of a title are
// kept, and the host hands on twenty updates a second: one that it refuses is a *Fault of
// the kind too_large or too_many, and has no effect. Outside of wasip1 it does nothing.
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

// Fault is why the host did not do what it was asked for.
type Fault = host.Fault

// Call says what the host tells of the call that runs.
type Call struct {
	// Tool is the tool's name, and ID that of the call.
	Tool string `json:"tool"`
	ID   string `json:"call_id"`
	// Session and Message say where in a conversation the call stands; they may be empty.
	Session string `json:"session"`
	Message string `json:"message"`
	// IdempotencyKey is the same for all attempts of the call: hand it to a server that
	// knows such keys, and nothing is done twice.
	IdempotencyKey string `json:"idempotency_key"`
	// WorkingDirectory is where relative paths of the arguments are meant to begin; empty
	// means the root of the workspace.
	WorkingDirectory string `json:"working_directory"`
	// Settings are those of the manifest, by name, with the values that the operator chose
	// or the author's defaults. Nil for a tool that has none.
	Settings map[string]string `json:"settings,omitempty"`
	// Tools are the names of tools that the caller may call, in order, and MoreTools how many
	// there are besides.
	Tools     []string `json:"tools,omitempty"`
	MoreTools int      `json:"more_tools,omitempty"`
}

// CurrentCall returns the call that runs. It is the zero Call in a warm-up and outside of
// wasip1.
func CurrentCall() Call {
	var c Call
	_ = json.Unmarshal(host.ReadAll(hostContext), &c) // the host writes it
	return c
}
