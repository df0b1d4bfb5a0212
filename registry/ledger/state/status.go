package state

// Status is where a call stands.
type Status string

// The statuses.
const (
	// Pending: it has begun, and is checked or waits for its turn; or its tool has handed it
	// on and the result comes later.
	Pending Status = "pending"
	// AwaitingConfirmation: somebody is asked about it.
	AwaitingConfirmation Status = "awaiting_confirmation"
	// Running: the tool runs.
	Running Status = "running"
	// Completed: it ended with a result.
	Completed Status = "completed"
	// Error: it ended with a failure.
	Error Status = "error"
)

// Ended reports whether nothing comes after s.
func (s Status) Ended() bool { return s == Completed || s == Error }

// CanBecome reports whether a call may go from s to another status.
func (s Status) CanBecome(other Status) bool {
	switch s {
	case Pending:
		return other == AwaitingConfirmation || other == Running || other == Error
	case AwaitingConfirmation:
		return other == Pending || other == Running || other == Error
	case Running:
		return other == Pending || other == Completed || other == Error
	}
	return false
}

// StepStatus is the status under the names of steps in a user interface, where a call
// that ended has "success" or "failed".
func (s Status) StepStatus() string {
	switch s {
	case Completed:
		return "success"
	case Error:
		return "failed"
	case AwaitingConfirmation:
		return "awaiting-confirmation"
	}
	return string(s)
}
