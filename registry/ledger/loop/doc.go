// Package loop detects that a session repeats calls without progress: the same call, or the same
// sequence of up to four calls. Progress is a different result, or an effect outside the call
// that the host can observe.
//
// First the model is warned, then an approver is asked, then the call is refused. An approval
// resets the count. A ceiling applies regardless of approvals.
package loop
