package tool

import "encoding/json"

// Update is a tool's report about its running call. The zero value changes nothing.
type Update struct {
	// Title tells people in a few words what the call is doing or has found; empty keeps the
	// previous title.
	Title string `json:"title,omitempty"`
	// Metadata are values by name. Each replaces the previous value with that name.
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	// Content is the result so far, as text blocks. It replaces the content of earlier updates, and
	// the result of the call replaces it. Empty keeps the previous content.
	Content []Content `json:"content,omitempty"`
	// Progress is the progress of the call; nil keeps the previous progress.
	Progress *Progress `json:"progress,omitempty"`
}

// Progress is the progress of a call, in units of the tool's choice.
type Progress struct {
	Done float64 `json:"done"`
	// Total is 0 if the tool does not know it.
	Total   float64 `json:"total,omitempty"`
	Message string  `json:"message,omitempty"`
}
