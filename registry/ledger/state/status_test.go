package state

import "testing"

// Every transition that CanBecome does not allow is an error.
func TestOnlyListedTransitionsAreAllowed(t *testing.T) {
	arrows := map[string]bool{
		"pending>awaiting_confirmation": true, "pending>running": true, "pending>error": true,
		"awaiting_confirmation>pending": true, "awaiting_confirmation>running": true, "awaiting_confirmation>error": true,
		"running>completed": true, "running>error": true, "running>pending": true,
	}
	all := []Status{Pending, AwaitingConfirmation, Running, Completed, Error}
	for _, from := range all {
		for _, to := range all {
			if got, want := from.CanBecome(to), arrows[string(from+">"+to)]; got != want {
				t.Errorf("%s to %s: got %v, want %v", from, to, got, want)
			}
		}
	}
}
