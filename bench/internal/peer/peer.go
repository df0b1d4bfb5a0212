// Package peer has the systems that are compared, each behind one interface. A file
// holds one system, in all the ways in which it is measured.
package peer

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// Peer is a way to run the job. Call may be used concurrently, except where one
// instance is reused (see Name.Reuses) or the peer times itself.
type Peer interface {
	Name() Name
	// Prepare compiles and starts what calls need. An error that is an *Unavailable
	// means that this machine cannot run the peer.
	Prepare(ctx context.Context) error
	// Call runs the job once and returns its answer, which is the caller's.
	Call(ctx context.Context, input []byte) ([]byte, error)
	// Close frees what Prepare made, also after it failed.
	Close() error
}

// SelfTimed is a Peer in another process. Asking it takes longer than what is to be
// measured, so it measures itself.
type SelfTimed interface {
	Peer
	// Time runs the job n times, one after the other, and returns how long each took
	// and the answer of the last.
	Time(ctx context.Context, input []byte, n int) ([]time.Duration, []byte, error)
}

// Name says what runs what: the guest's language, the form in which it is built, and
// the system.
type Name struct {
	Guest  string `json:"guest"`
	Form   string `json:"form"`
	System string `json:"system"`
}

// String returns guest/form/system.
func (n Name) String() string { return n.Guest + "/" + n.Form + "/" + n.System }

// Reuses reports whether calls see what earlier ones left behind.
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

// Setup is what peers are made from.
type Setup struct {
	// Guests is the folder that guests/build.sh fills, an absolute path.
	Guests string
	// Cache is a folder for compiled code, an absolute path; engines that can keep some
	// do so in a folder of their own.
	Cache string
	// Warm is the input of the call that a warmed snapshot is taken after.
	Warm []byte
	// MaxInstances is how many instances live at once at most, for engines that are
	// told in advance.
	MaxInstances int
}

// file is the path of a guest in a form.
func (s Setup) file(n Name) string {
	if n.Form == Native {
		return filepath.Join(s.Guests, n.Guest+"_native")
	}
	return filepath.Join(s.Guests, n.Guest+"_"+n.Form+".wasm")
}

// Unavailable is why a peer cannot be measured here.
type Unavailable struct{ Reason string }

func (u *Unavailable) Error() string { return u.Reason }

func unavailable(format string, values ...any) error {
	return &Unavailable{Reason: fmt.Sprintf(format, values...)}
}

// common is what all peers are made of.
type common struct {
	name  Name
	setup Setup
}

func (c common) Name() Name { return c.name }

func (c common) file() string { return c.setup.file(c.name) }
