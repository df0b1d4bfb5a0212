package toolabi

import "github.com/wasmtool/wasmtool/guest"

// Announcer is implemented by arguments of calls that may take long.
type Announcer interface {
	// Announce returns a title for people and values for programs, to show while the call runs. The
	// arguments have not been checked.
	Announce() (title string, metadata map[string]any)
}

// ReportStart shows the clients that watch the call what it does. It must not be called before the
// module reads its input, because the host would then begin each call with a new instance.
func ReportStart(args Announcer) {
	_ = guest.Update(args.Announce()) // the host refuses long values, and the call needs none
}
