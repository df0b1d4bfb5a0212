package policy

import "fmt"

// Effect is what a rule or a decision says. The order is that of how much is
// permitted; the zero value denies.
type Effect uint8

// The effects.
const (
	// Deny means the call does not run, whoever says yes.
	Deny Effect = iota
	// Ask means the call runs if somebody says yes.
	Ask
	// Allow means the call runs.
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

// MarshalText writes what String returns.
func (e Effect) MarshalText() ([]byte, error) {
	if e > Allow {
		return nil, fmt.Errorf("%v is no effect", e)
	}
	return []byte(e.String()), nil
}

// UnmarshalText reads "deny", "ask" or "allow"; all else is an error.
func (e *Effect) UnmarshalText(text []byte) error {
	for _, known := range []Effect{Deny, Ask, Allow} {
		if string(text) == known.String() {
			*e = known
			return nil
		}
	}
	return fmt.Errorf("%q is no effect; write allow, ask or deny", text)
}
