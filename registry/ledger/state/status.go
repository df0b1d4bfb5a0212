package state

// Status is the status of a call.
type Status string

// The statuses.
const (
	// Pending means that the call is being checked or is queued, or that its tool returned before
	// the result was ready.
	Pending Status = "pending"
	// AwaitingConfirmation means that an approver is asked about the call.
	AwaitingConfirmation Status = "awaiting_confirmation"
	// Running means that the tool runs.
	Running Status = "running"
	// Completed means that the call ended with a result.
	Completed Status = "completed"
	// Error means that the call failed.
	Error Status = "error"
)

// Ended reports whether s is a final status.
func (s Status) Ended() bool { return s == Completed || s == Error }

// CanBecome reports whether the status of a call may change from s to the status other.
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

// StepStatus returns the name that user interfaces have for the status of a step. An ended call has
// the status "success" or "failed".
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
