package llm

// Effect says what a change of a definition does.
type Effect string

// The effects.
const (
	// Wider: the model may send arguments that the tool refuses. The call then fails with
	// a text that the model can act on.
	Wider Effect = "wider"
	// Narrower: there are arguments that the tool takes and the model cannot send.
	Narrower Effect = "narrower"
	// Renamed: a name had to change; it is changed back in calls.
	Renamed Effect = "renamed"
	// Untold: something that does not bear on the arguments is left out.
	Untold Effect = "untold"
	// Risky: nothing is changed, and the provider may refuse the request.
	Risky Effect = "risky"
)

// Loss is one thing that a definition does not say as the tool's schema does.
type Loss struct {
	// Tool is the tool's name.
	Tool string `json:"tool"`
	// Pointer is the JSON pointer (RFC 6901) into the tool's parameters; "" is the whole.
	Pointer string `json:"pointer"`
	// What was changed: a keyword with its value, or "strict".
	What string `json:"what"`
	// Why it was, and what stands in its place.
	Why string `json:"why"`
	// Effect is what that does.
	Effect Effect `json:"effect"`
}

// String returns the loss as a line for people.
func (l Loss) String() string {
	at := l.Pointer
	if at != "" {
		at = " " + at
	}
	return l.Tool + at + ": " + l.What + ": " + l.Why + " (" + string(l.Effect) + ")"
}
