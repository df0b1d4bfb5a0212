package state

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// MaxResult is the max size of a result that is kept, in bytes.
const MaxResult = 64 << 10

// The errors about states. An invalid transition returns another error, which names the transition.
var (
	// ErrLive means that a call of the tenant with this ID has not ended.
	ErrLive = errors.New("a call with this id has not ended")
	// ErrUnknown means that there is no such call, or that its state is no longer kept.
	ErrUnknown = errors.New("there is no such call")
	// ErrEnded means that the call has ended and cannot change.
	ErrEnded = errors.New("the call has ended")
	// ErrInvalid means that metadata is not JSON, or that content is not text in UTF-8.
	ErrInvalid = errors.New("the metadata is not JSON, or the content is not text")
	// ErrTooLarge means that metadata, content, title or message exceeds its limit.
	ErrTooLarge = errors.New("the metadata, content, title or message is too large")
)

// Call is the state of one call. It is a value, and not safe for concurrent use.
type Call struct {
	tool.CallRef
	Status Status `json:"status"`
	// Title, Metadata and Progress are the tool's latest updates.
	Title    string                     `json:"title,omitempty"`
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	Progress *tool.Progress             `json:"progress,omitempty"`
	// Content is the tool's latest partial result; nil after the end.
	Content []tool.Content `json:"content,omitempty"`
	// Revision counts the changes. A reader compares it to find the newer of two states.
	Revision uint64    `json:"revision"`
	Started  time.Time `json:"started"`
	// Ended is when the call ended; zero before.
	Ended time.Time `json:"ended,omitzero"`
	// Result and Err are the outcome; nil before the end. A result larger than MaxResult is not
	// kept. ResultOmitted is then set.
	Result        *tool.Result `json:"result,omitempty"`
	ResultOmitted bool         `json:"result_omitted,omitempty"`
	Err           *tool.Error  `json:"error,omitempty"`
}

// callJSON is a Call with its ID in the JSON field "id".
type callJSON struct {
	ID string `json:"id"`
	// NoID is always nil. It hides the field "call_id" of CallRef.
	NoID *string `json:"call_id,omitempty"`
	*callFields
}

type callFields Call

// MarshalJSON writes the ID as "id".
func (c Call) MarshalJSON() ([]byte, error) {
	return json.Marshal(callJSON{ID: c.ID, callFields: (*callFields)(&c)})
}

// UnmarshalJSON reads the output of MarshalJSON.
func (c *Call) UnmarshalJSON(data []byte) error {
	read := callJSON{callFields: (*callFields)(c)}
	err := json.Unmarshal(data, &read)
	c.ID = read.ID
	return err
}

// Move changes the status of a call that has not ended. An invalid transition is an error and
// changes nothing.
func (c *Call) Move(to Status) error {
	if to.Ended() {
		return fmt.Errorf("only End gives a call the status %s", to)
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

// Update merges an update into the state. If it fails with ErrEnded, ErrInvalid or ErrTooLarge, it
// changes nothing.
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
	content := 0
	for _, block := range u.Content {
		if block.Type != tool.ContentText || !utf8.ValidString(block.Text) {
			return ErrInvalid
		}
		content += len(block.Text)
	}
	if size > maxMetadata || len(merged) > maxNames || len(u.Title) > maxTitle || content > maxContent || len(u.Content) > maxBlocks ||
		u.Progress != nil && len(u.Progress.Message) > maxMessage {
		return ErrTooLarge
	}
	c.Metadata, c.Title = merged, cmp.Or(u.Title, c.Title)
	if u.Progress != nil {
		c.Progress = new(*u.Progress)
	}
	if len(u.Content) > 0 {
		c.Content = slices.Clone(u.Content)
	}
	c.Revision++
	return nil
}

// End ends the call with its result, and with the error if it failed. A nil result means that the
// result is too large to keep. Ending a call again fails with ErrEnded and changes nothing.
func (c *Call) End(at time.Time, result *tool.Result, failure *tool.Error) error {
	to := Completed
	if failure != nil {
		to = Error
	}
	if err := c.move(to); err != nil {
		return err
	}
	c.Ended, c.Result, c.ResultOmitted, c.Err, c.Content = at, result, result == nil, failure, nil
	return nil
}

// Clone returns a copy that shares no memory with c, except memory that never changes.
func (c Call) Clone() Call {
	c.Metadata = maps.Clone(c.Metadata)
	for name, value := range c.Metadata {
		c.Metadata[name] = slices.Clone(value)
	}
	if c.Progress != nil {
		c.Progress = new(*c.Progress)
	}
	c.Content = slices.Clone(c.Content)
	if c.Result != nil {
		c.Result = new(c.Result.Clone())
	}
	if c.Err != nil {
		c.Err = new(*c.Err)
	}
	return c
}

// Limits of the updates of a call.
const (
	maxTitle    = 256      // bytes
	maxMessage  = 1 << 10  // bytes of a Progress
	maxMetadata = 64 << 10 // bytes of names and values
	maxNames    = 64
	maxContent  = 64 << 10 // bytes of text
	maxBlocks   = 64
)
