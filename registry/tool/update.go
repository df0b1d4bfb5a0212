package tool

import "encoding/json"

// Update is what a tool tells of its call while it runs. The zero value tells nothing.
type Update struct {
	// Title is what the call is doing or has found, in a few words for people; empty
	// leaves the one before.
	Title string `json:"title,omitempty"`
	// Metadata are values by name; each takes the place of the one before of that name.
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	// Progress is how far the call is; nil leaves what was said before.
	Progress *Progress `json:"progress,omitempty"`
}

// Progress is how far a call is, in units of the tool's own.
type Progress struct {
	Done float64 `json:"done"`
	// Total is 0 when the tool does not know it.
	Total   float64 `json:"total,omitempty"`
	Message string  `json:"message,omitempty"`
}
