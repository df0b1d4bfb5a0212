package toolabi

import "github.com/wasmtool/wasmtool/guest"

// Starter is implemented by arguments of calls that may take long.
type Starter interface {
	// Start returns a title for people and values for programs, to show while the call runs. The
	// arguments have not been checked.
	Start() (title string, metadata map[string]any)
}

// ReportStart shows the clients that watch the call what it does. It must not be called before the
// module reads its input, because the host would then begin each call with a new instance.
func ReportStart(args Starter) {
	_ = guest.Update(args.Start()) // the host refuses long values; the call does not depend on them
}
