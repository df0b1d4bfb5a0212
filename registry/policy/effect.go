package policy

import "fmt"

// Effect is the effect of a rule or decision. Effects are ordered by how much they permit; the zero
// value denies.
type Effect uint8

// The effects.
const (
	// Deny means that the call does not run, even with an approval.
	Deny Effect = iota
	// Ask means that the call runs if an approver approves it.
	Ask
	// Allow means that the call runs.
	Allow
)

// String returns "deny", "ask" or "allow".
func (e Effect) String() string {
	switch e {
	case Deny:
		return "deny"
	case Ask:
		return "ask"
	case Allow:
		return "allow"
	}
	return fmt.Sprintf("effect(%d)", uint8(e))
}

// MarshalText returns the same text as String.
func (e Effect) MarshalText() ([]byte, error) {
	if e > Allow {
		return nil, fmt.Errorf("%v is not an effect", e)
	}
	return []byte(e.String()), nil
}

// UnmarshalText accepts "deny", "ask" or "allow"; anything else is an error.
func (e *Effect) UnmarshalText(text []byte) error {
	for _, known := range []Effect{Deny, Ask, Allow} {
		if string(text) == known.String() {
			*e = known
			return nil
		}
	}
	return fmt.Errorf("%q is not an effect; write allow, ask or deny", text)
}
