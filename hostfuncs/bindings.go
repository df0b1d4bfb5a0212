package hostfuncs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/hostfuncs/kv"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
)

// Bindings contains everything that a guest can use during one call. Each host function uses them
// to check what the call may do. [Bind] creates the Bindings of one call. That call may use them
// concurrently.
type Bindings struct {
	// Files is the guest's file system; never nil.
	Files *files.FS
	// Mounts lists the mounts of Files, in the order of the grant.
	Mounts []capability.FS
	// Env holds the environment variables that the guest sees.
	Env map[string]string
	// Clock is the real clock if granted, and otherwise a deterministic one.
	Clock Clock
	// Random is real randomness if granted, and otherwise a fixed stream.
	Random io.Reader
	// HTTP sends the guest's requests, and Store is the guest's key-value store. Each is nil if it
	// is not granted.
	HTTP  *HTTP
	Store *Store
	// Messages receives the log lines and progress reports of the guest; never nil.
	Messages *Messages

	tools   toolCalls
	secrets callSecrets
	named   []string // names of secrets that the guest may ask about

	aboutOnce sync.Once
	askAbout  func() CallInfo // as in Services
	about     CallInfo

	// What Clock, Random and Messages usually point to. It is here so that Bindings are allocated
	// at once, because each call makes its own.
	fixedClock  fixedClock
	fixedRandom fixedRandom
	messages    Messages
}

// CallInfo is the information that a guest can get about its call.
type CallInfo struct {
	// Tool is the name of the tool, and CallID the ID of the call. Session and Message locate the
	// call in a conversation and may be empty.
	Tool    string `json:"tool"`
	CallID  string `json:"call_id"`
	Session string `json:"session,omitempty"`
	Message string `json:"message,omitempty"`
	// IdempotencyKey is the same for all attempts of the call. WorkingDirectory is the guest path
	// against which relative paths are resolved. Either may be empty.
	IdempotencyKey   string `json:"idempotency_key,omitempty"`
	WorkingDirectory string `json:"working_directory,omitempty"`
	// Mounts lists the directories of the operator that the call may access. Bind sets it.
	Mounts []MountInfo `json:"mounts,omitempty"`
	// Settings holds the operator's settings for the tool, by name.
	Settings map[string]string `json:"settings,omitempty"`
	// Tools lists names of tools that the caller can see. MoreTools is the number of visible tools
	// that Tools omits. Both are empty if unknown.
	Tools     []string `json:"tools,omitempty"`
	MoreTools int      `json:"more_tools,omitempty"`
}

// MountInfo is a mount of a call.
type MountInfo struct {
	// Path is the guest path, and Mode is "read" or "write".
	Path string `json:"path"`
	Mode string `json:"mode"`
}

// Services are the resources of a call other than the files, variables, clock and randomness of its
// grant. The zero value provides none.
type Services struct {
	// Listener receives the log lines, progress and updates of the guest.
	Listener Listener
	// CallInfo returns information about the call for the guest. It is called at most once, when
	// the guest asks. Nil provides no information.
	CallInfo func() CallInfo
	// HTTP is the transport for the requests of the call, with their limits. The grant decides
	// which URLs and secrets the requests may use.
	HTTP egress.Transport
	// Secrets provides the values of secrets; nil provides none. The caller keeps ownership.
	Secrets *secret.Store
	// KV contains the stores of all tools, and the call uses the store at Namespace. Nil provides
	// no store. The caller keeps ownership.
	KV        kv.Store
	Namespace kv.Namespace
	// Tools are the other tools that the guest may call.
	Tools Tools
	// Now replaces the real time as the start of the call's clock, if the clock is granted. The
	// clock then advances by a second with every million readings, and sleeping does not wait. The
	// zero value keeps the real clock.
	Now time.Time
	// Seed replaces real randomness, if it is granted, with the stream of this seed. Zero keeps
	// real randomness.
	Seed uint64
}

// Bind opens the granted directories and connects the call to the services. It connects HTTP and
// the key-value store only if they are granted. The caller must close the Bindings after the call.
// Bind fails if a directory cannot be opened or must not be mounted. No error message contains a
// host path.
func Bind(grant capability.Grant, o files.Options, s Services) (*Bindings, error) {
	if err := checkEnv(grant.Env); err != nil {
		return nil, err
	}
	if grant.KV != capability.ModeNone && s.KV == nil {
		return nil, errors.New("there is no key-value store; the program that runs the tool has not configured one")
	}
	o.Protected = slices.Concat(o.Protected, grant.Protected)
	opened, err := files.New(grant.FS, o)
	if err != nil {
		return nil, err
	}
	b := &Bindings{Files: opened, Env: maps.Clone(grant.Env), secrets: callSecrets{store: s.Secrets}, askAbout: s.CallInfo}
	b.Clock, b.Random, b.Messages = &b.fixedClock, &b.fixedRandom, &b.messages
	b.messages.l = s.Listener
	b.messages.l.hide = &b.secrets
	if len(grant.Net) > 0 {
		b.HTTP = newHTTP(grant, s.HTTP, &b.secrets)
	}
	b.tools = toolCalls{granted: len(grant.Tools) > 0, Tools: s.Tools}
	if grant.KV != capability.ModeNone {
		b.Store = &Store{store: s.KV, namespace: s.Namespace, mode: grant.KV}
	}
	for _, n := range grant.Net {
		for _, use := range n.Secrets {
			b.named = append(b.named, use.Name)
		}
	}
	for _, m := range grant.FS {
		b.Mounts = append(b.Mounts, m.FS)
	}
	switch {
	case grant.Clock && s.Now.IsZero():
		b.Clock = newRealClock()
	case grant.Clock:
		b.fixedClock.start = s.Now.Truncate(clockResolution)
	}
	switch {
	case grant.Random && s.Seed == 0:
		b.Random = rand.Reader
	case grant.Random:
		b.fixedRandom.seed = s.Seed
	}
	return b, nil
}

// checkEnv refuses variables that cannot be passed to a guest. In WASI, a NUL byte terminates a
// variable.
func checkEnv(env map[string]string) error {
	if len(env) == 0 {
		return nil // the common case; sorting an empty list would allocate
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			return fmt.Errorf("the environment variable %q cannot be passed to the tool: a name must not be empty or contain '=' or NUL", name)
		case strings.ContainsRune(env[name], 0):
			return fmt.Errorf("the environment variable %q cannot be passed to the tool: its value contains a NUL byte", name)
		}
	}
	return nil
}

// CallInfo returns information about the call for the guest. The first use computes the
// information, and later uses return the same.
func (b *Bindings) CallInfo() CallInfo {
	b.aboutOnce.Do(func() {
		if b.askAbout != nil {
			b.about = b.askAbout()
		}
		for _, m := range b.Mounts {
			if m.Mount != capability.ScratchMount {
				b.about.Mounts = append(b.about.Mounts, MountInfo{Path: m.GuestPath(), Mode: m.Mode.String()})
			}
		}
	})
	return b.about
}

// SecretExists reports whether a secret is granted to the guest and configured by the operator. The
// guest never gets the value of the secret.
func (b *Bindings) SecretExists(name string) bool {
	return slices.Contains(b.named, name) && b.secrets.store != nil && b.secrets.store.Exists(name)
}

// Hide removes the secrets that the call used from text that the guest wrote, because a server may
// have revealed a secret to the guest. Valid JSON stays valid. If ctx is done, Hide returns only
// the error of ctx. If the call used no secrets, Hide never fails.
func (b *Bindings) Hide(ctx context.Context, text []byte) ([]byte, error) {
	return b.secrets.scrubber().JSON(ctx, text)
}

// HideBefore is like [Bindings.Hide] for text that was cut at its end. It also removes the last
// bytes if they may be the beginning of a secret.
func (b *Bindings) HideBefore(ctx context.Context, text []byte) ([]byte, error) {
	return b.secrets.scrubber().Before(ctx, text)
}

// HideRoom is the number of bytes before a cut that HideAfter needs to find secrets that extend
// across the cut. They can contain the start of such a secret, and the start of another secret
// before it.
const HideRoom = 2 * secret.MaxForm

// HideAfter is like [Bindings.Hide] for text[room:], the rest of a text whose beginning was cut. It
// also removes the tail of a secret that begins in text[:room]. The parameter room is HideRoom, or
// the number of bytes before the cut if there are fewer.
func (b *Bindings) HideAfter(ctx context.Context, text []byte, room int) ([]byte, error) {
	return b.secrets.scrubber().After(ctx, text, room)
}

// Usage lists the files, requests, keys and secrets that the call has used so far.
func (b *Bindings) Usage() capability.Usage {
	u := capability.Usage{Secrets: b.secrets.names()}
	names := func(list func() ([]string, bool)) []string {
		found, more := list()
		u.More = u.More || more
		return found
	}
	u.FilesRead, u.FilesWritten = names(b.Files.ReadPaths), names(b.Files.WrittenPaths)
	u.DirectoriesRead = names(b.Files.DirectoryPaths)
	if b.Store != nil {
		u.KeysRead, u.KeysWritten = names(b.Store.read.List), names(b.Store.written.List)
	}
	u.ToolsCalled = names(b.tools.called.List)
	if b.HTTP != nil {
		u.Requests = requestUsage(b.HTTP.client.Usage())
	}
	return u
}

// ClosesAtOnce reports whether Close only has to close directories, which never blocks: no file is
// open, there is nothing to remove, and HTTP is not granted. The resources of the call must not be
// used concurrently.
func (b *Bindings) ClosesAtOnce() bool { return b.HTTP == nil && b.Files.ClosesAtOnce() }

// Close releases all resources. Code that still runs for the call finds its files and responses
// closed. Close removes scratch space and temporary files; see [files.FS.Close] and
// [files.FS.Done]. It may be called more than once.
func (b *Bindings) Close() error {
	if b.HTTP != nil {
		b.HTTP.client.Close()
	}
	return b.Files.Close()
}
