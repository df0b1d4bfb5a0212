// Package peer implements the systems that are compared, all behind one interface. Each file
// implements one system, in all configurations that are measured.
package peer

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// Peer is a way to run the job. Call may be used concurrently, unless one instance is reused (see
// Name.Reuses) or the peer is a SelfTimed.
type Peer interface {
	Name() Name
	// Prepare compiles and starts what calls need. The error is an *Unavailable if this machine
	// cannot run the peer.
	Prepare(ctx context.Context) error
	// Call runs the job once and returns its answer, which the caller owns.
	Call(ctx context.Context, input []byte) ([]byte, error)
	// Close frees what Prepare created, even if Prepare failed.
	Close() error
}

// SelfTimed is a Peer in another process that measures itself, because a request to it takes longer
// than the job.
type SelfTimed interface {
	Peer
	// Time runs the job n times in sequence, and returns the durations and the last answer.
	Time(ctx context.Context, input []byte, n int) ([]time.Duration, []byte, error)
}

// Name identifies a peer: the guest's language, the form in which it is built, and the system.
type Name struct {
	Guest  string `json:"guest"`
	Form   string `json:"form"`
	System string `json:"system"`
}

// String returns guest/form/system.
func (n Name) String() string { return n.Guest + "/" + n.Form + "/" + n.System }

// Reuses reports whether calls see what earlier calls left behind.
func (n Name) Reuses() bool {
	switch n.System {
	case Reuse, ExtismReused, WazyReused:
		return true
	}
	return false
}

// The forms in which guests are built.
const (
	Reactor = "reactor"
	Command = "command"
	Extism  = "extism"
	Native  = "native"
)

// The systems.
const (
	Wasmtool     = "wasmtool"
	WasmtoolWarm = "wasmtool-warm"
	Registry     = "wasmtool-registry"
	Reuse        = "wazero-reuse"
	Fresh        = "wazero-fresh"
	FreshClose   = "wazero-fresh-close"
	ExtismFresh  = "extism-fresh"
	ExtismReused = "extism-reused"
	Wasmtime     = "wasmtime-pool"
	WazyFresh    = "wazy-fresh"
	WazyReused   = "wazy-reused"
	Node         = "node-wasi"
	Exec         = "exec"
	Bubblewrap   = "bwrap"
)

// Setup is what peers need.
type Setup struct {
	// Guests is the absolute path of the directory that guests/build.sh fills.
	Guests string
	// Corpus is the absolute path of the directory that corpus/build.sh fills.
	Corpus string
	// Cache is the absolute path of a directory for compiled code. Each engine that can store code
	// uses its own subdirectory.
	Cache string
	// Warm is the input of the call after which a warmed snapshot is taken.
	Warm []byte
	// MaxInstances is how many instances live at once, for engines that must know it in advance.
	MaxInstances int
	// Compiler is the command that compiles large modules in a child process.
	Compiler []string
}

// file returns the path of the file with a guest in one of its forms.
func (s Setup) file(n Name) string {
	if n.Form == Native {
		return filepath.Join(s.Guests, n.Guest+"_native")
	}
	return filepath.Join(s.Guests, n.Guest+"_"+n.Form+".wasm")
}

// Unavailable is why a peer cannot be measured on this machine.
type Unavailable struct{ Reason string }

func (u *Unavailable) Error() string { return u.Reason }

func unavailable(format string, values ...any) error {
	return &Unavailable{Reason: fmt.Sprintf(format, values...)}
}

// common is the part that all peers share.
type common struct {
	name  Name
	setup Setup
}

func (c common) Name() Name { return c.name }

func (c common) file() string { return c.setup.file(c.name) }
