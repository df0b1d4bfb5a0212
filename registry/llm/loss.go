package llm

// Effect is the consequence of a [Loss].
type Effect string

// The effects.
const (
	// Wider means that the model may send arguments that the tool refuses. Such a call fails
	// with a message that the model can act on.
	Wider Effect = "wider"
	// Narrower means that the tool accepts some arguments that the model cannot send.
	Narrower Effect = "narrower"
	// Renamed means that the definition has a different name. Calls get the original name back.
	Renamed Effect = "renamed"
	// Untold means that the definition omits something that does not affect the arguments.
	Untold Effect = "untold"
	// Risky means that nothing is changed, but the provider may refuse the request.
	Risky Effect = "risky"

	// stated is Wider for the loss of a rule that the description states. Loss has Stated instead.
	stated Effect = "stated"
)

// Loss is one difference between a definition and the tool's own schema.
type Loss struct {
	// Tool is the tool's name.
	Tool string `json:"tool"`
	// Pointer is the JSON pointer (RFC 6901) into the tool's parameters; "" means all of them.
	Pointer string `json:"pointer"`
	// What names the part that changed: a keyword with its value, or "strict".
	What string `json:"what"`
	// Why is the reason, and names the replacement in the definition.
	Why string `json:"why"`
	// Effect is the consequence of the difference.
	Effect Effect `json:"effect"`
	// Stated is set if the description of the definition states the rule that was left out, so that
	// a model can follow it.
	Stated bool `json:"stated,omitempty"`
}

// String returns the loss as one line for a person.
func (l Loss) String() string {
	at := l.Pointer
	if at != "" {
		at = " " + at
	}
	return l.Tool + at + ": " + l.What + ": " + l.Why + " (" + string(l.Effect) + ")"
}
