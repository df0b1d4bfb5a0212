package state

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// MaxResult is how large a result may be to be kept, in bytes of its
// contents.
const MaxResult = 64 << 10

// The errors about states. Illegal moves have errors of their own that say which it was.
var (
	// ErrLive: a call of that ID and tenant is on its way.
	ErrLive = errors.New("a call of that id is on its way")
	// ErrUnknown: there is no such call, or not any more.
	ErrUnknown = errors.New("there is no such call")
	// ErrEnded: the call has ended, and what ended does not change.
	ErrEnded = errors.New("the call has ended")
	// ErrInvalid: metadata that is no JSON.
	ErrInvalid = errors.New("the metadata are no JSON")
	// ErrTooLarge: more metadata, or longer texts, than a call may have.
	ErrTooLarge = errors.New("there is more metadata than a call may have")
)

// Call is where one call stands. It is a value, and not safe for concurrent use.
type Call struct {
	tool.CallRef
	Status Status `json:"status"`
	// Title, Metadata and Progress are what the tool told last.
	Title    string                     `json:"title,omitempty"`
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	Progress *tool.Progress             `json:"progress,omitempty"`
	// Revision counts the changes, so that a reader can tell old from new.
	Revision uint64    `json:"revision"`
	Started  time.Time `json:"started"`
	// Ended is when the call ended; zero before.
	Ended time.Time `json:"ended,omitzero"`
	// Result and Err are how it ended; nil before. A result longer than MaxResult is not
	// kept, and ResultOmitted says so.
	Result        *tool.Result `json:"result,omitempty"`
	ResultOmitted bool         `json:"result_omitted,omitempty"`
	Err           *tool.Error  `json:"error,omitempty"`
}

// callJSON is a Call whose ID is called "id".
type callJSON struct {
	ID string `json:"id"`
	// NoID, which is never there, takes the place of "call_id".
	NoID *string `json:"call_id,omitempty"`
	*callFields
}

type callFields Call

// MarshalJSON writes the ID as "id".
func (c Call) MarshalJSON() ([]byte, error) {
	return json.Marshal(callJSON{ID: c.ID, callFields: (*callFields)(&c)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Call) UnmarshalJSON(data []byte) error {
	read := callJSON{callFields: (*callFields)(c)}
	err := json.Unmarshal(data, &read)
	c.ID = read.ID
	return err
}

// Move takes the call to another status before its end. A move that is none of those that
// there are is an error, and changes nothing.
func (c *Call) Move(to Status) error {
	if to.Ended() {
		return fmt.Errorf("a call becomes %s by End alone", to)
	}
	return c.move(to)
}

func (c *Call) move(to Status) error {
	switch {
	case c.Status.Ended():
		return ErrEnded
	case !c.Status.CanBecome(to):
		return fmt.Errorf("a call that is %s cannot become %s", c.Status, to)
	}
	c.Status = to
	c.Revision++
	return nil
}

// Update takes in what the tool tells of the call, as a whole or, with an error, not at
// all: ErrEnded, ErrInvalid or ErrTooLarge.
func (c *Call) Update(u tool.Update) error {
	if c.Status.Ended() {
		return ErrEnded
	}
	size := 0
	merged := maps.Clone(c.Metadata)
	if merged == nil && len(u.Metadata) > 0 {
		merged = make(map[string]json.RawMessage)
	}
	for name, value := range u.Metadata {
		if !json.Valid(value) {
			return ErrInvalid
		}
		merged[name] = slices.Clone(value)
	}
	for name, value := range merged {
		size += len(name) + len(value)
	}
	if size > maxMetadata || len(merged) > maxNames || len(u.Title) > maxTitle ||
		u.Progress != nil && len(u.Progress.Message) > maxMessage {
		return ErrTooLarge
	}
	c.Metadata, c.Title = merged, cmp.Or(u.Title, c.Title)
	if u.Progress != nil {
		c.Progress = new(*u.Progress)
	}
	c.Revision++
	return nil
}

// End ends the call with its result, nil for one that is not to be kept, and with the error
// when it failed. Ending again is ErrEnded and changes nothing.
func (c *Call) End(at time.Time, result *tool.Result, failure *tool.Error) error {
	to := Completed
	if failure != nil {
		to = Error
	}
	if err := c.move(to); err != nil {
		return err
	}
	c.Ended, c.Result, c.ResultOmitted, c.Err = at, result, result == nil, failure
	return nil
}

// Clone returns a copy that shares nothing that anybody changes.
func (c Call) Clone() Call {
	c.Metadata = maps.Clone(c.Metadata)
	for name, value := range c.Metadata {
		c.Metadata[name] = slices.Clone(value)
	}
	if c.Progress != nil {
		c.Progress = new(*c.Progress)
	}
	if c.Result != nil {
		c.Result = new(c.Result.Clone())
	}
	if c.Err != nil {
		c.Err = new(*c.Err)
	}
	return c
}

// Bounds of what a call may tell.
const (
	maxTitle    = 256      // bytes
	maxMessage  = 1 << 10  // bytes of a Progress
	maxMetadata = 64 << 10 // bytes of names and values
	maxNames    = 64
)
