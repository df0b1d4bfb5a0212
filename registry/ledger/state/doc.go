// Package state keeps the states of calls. The status of a call is pending, awaiting_confirmation,
// running, completed or error; Status.CanBecome defines the transitions. A call can be updated
// until it has ended, and never after.
package state
