package state

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// Call is where one call stands. It is a copy: changing it changes nothing.
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

// clone returns a copy that shares nothing that anybody changes.
func (c Call) clone() Call {
	c.Metadata = maps.Clone(c.Metadata)
	for name, value := range c.Metadata {
		c.Metadata[name] = slices.Clone(value)
	}
	if c.Progress != nil {
		p := *c.Progress
		c.Progress = &p
	}
	if c.Result != nil {
		r := c.Result.Clone()
		c.Result = &r
	}
	if c.Err != nil {
		e := *c.Err
		c.Err = &e
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

// merge takes an update in, as a whole or not at all.
func (c *Call) merge(u tool.Update) error {
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
	message := ""
	if u.Progress != nil {
		message = u.Progress.Message
	}
	if size > maxMetadata || len(merged) > maxNames || len(u.Title) > maxTitle || len(message) > maxMessage {
		return ErrTooLarge
	}
	c.Metadata = merged
	if u.Title != "" {
		c.Title = u.Title
	}
	if u.Progress != nil {
		p := *u.Progress
		c.Progress = &p
	}
	return nil
}
