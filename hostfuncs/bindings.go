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

// Bindings are the live handles of one call: everything a guest can reach, and
// nothing else. Host functions look here, at the moment of use, for what the
// current call may do. Bindings are for one call and are safe for concurrent use
// by it.
type Bindings struct {
	// Files is the guest's file system; never nil.
	Files *files.FS
	// Mounts are the mounts of Files, in the order of the grant.
	Mounts []capability.FS
	// Env are the environment variables that the guest sees.
	Env map[string]string
	// Clock is the real clock when granted, else a deterministic one.
	Clock Clock
	// Random is real randomness when granted, else a fixed stream.
	Random io.Reader
	// Web is the guest's HTTP, and Store its key-value store; nil when none is granted.
	HTTP  *HTTP
	Store *Store
	// Talk is what the guest logs and how far it says it is; never nil.
	Messages *Messages
	// About returns what the guest may know of its call. It works that out when it is called
	// first; never nil.
	CallInfo func() CallInfo

	secrets *callSecrets
	named   []string // secrets that the guest may ask about
}

// About is what a guest may know of its call.
type CallInfo struct {
	// Tool is the name of the tool, CallID that of the call, and Session and Message
	// where in a conversation it stands; those may be empty.
	Tool    string `json:"tool"`
	CallID  string `json:"call_id"`
	Session string `json:"session,omitempty"`
	Message string `json:"message,omitempty"`
	// IdempotencyKey is the same for all attempts of the call, and WorkingDirectory where
	// in the guest's files relative paths are meant to begin; either may be empty.
	IdempotencyKey   string `json:"idempotency_key,omitempty"`
	WorkingDirectory string `json:"working_directory,omitempty"`
	// Settings are what the operator chose for the tool, by name.
	Settings map[string]string `json:"settings,omitempty"`
	// Tools are the names of tools that the caller sees, and MoreTools how many there are
	// besides; empty when nobody says.
	Tools     []string `json:"tools,omitempty"`
	MoreTools int      `json:"more_tools,omitempty"`
}

// Services are what a call reaches beside the files, variables, clock and randomness of
// its grant. The zero value is none.
type Services struct {
	// Listener hears what the guest logs and how far it is.
	Listener Listener
	// About returns what it is told of its call, when it asks, once at most; nil tells
	// nothing.
	CallInfo func() CallInfo
	// HTTP bounds the requests of the call and says how they are made. What may be reached,
	// and with which secrets, is for the grant to say.
	HTTP egress.Transport
	// Secrets has the values of secrets; nil has none. It stays the caller's.
	Secrets *secret.Store
	// KV keeps the stores of tools, of which the call gets that of Namespace; nil means
	// that there are none. It stays the caller's.
	KV        kv.Store
	Namespace kv.Namespace
	// Now is when the clock of the call starts in place of the real one, where the grant has
	// that: it moves on by a second with every million readings, and waits for nothing. The zero value leaves the
	// real one.
	Now time.Time
}

// Bind opens what a grant names, and gives what services there are. The caller owns the Bindings and must Close
// them when the call is over. It fails when a directory cannot be opened or may
// not be mounted; no error text holds a host path.
func Bind(grant capability.Grant, o files.Options, s Services) (*Bindings, error) {
	if err := checkEnv(grant.Env); err != nil {
		return nil, err
	}
	if grant.KV != capability.ModeNone && s.KV == nil {
		return nil, errors.New("there is no key-value store; the program that runs the tool has none set up")
	}
	o.Protected = slices.Concat(o.Protected, grant.Protected)
	opened, err := files.New(grant.FS, o)
	if err != nil {
		return nil, err
	}
	b := &Bindings{
		Files: opened, Env: maps.Clone(grant.Env), Clock: &fixedClock{}, Random: &fixedRandom{},
		secrets: &callSecrets{store: s.Secrets},
	}
	if s.CallInfo == nil {
		s.CallInfo = func() CallInfo { return CallInfo{} }
	}
	b.CallInfo = sync.OnceValue(s.CallInfo)
	s.Listener.hide = b.secrets
	b.Messages = NewMessages(s.Listener)
	if len(grant.Net) > 0 {
		b.HTTP = newWeb(grant, s.HTTP, b.secrets)
	}
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
		b.Clock = &fixedClock{start: s.Now.Truncate(clockResolution)}
	}
	if grant.Random {
		b.Random = rand.Reader
	}
	return b, nil
}

// checkEnv refuses what no guest can be given: its variables end at NUL bytes.
func checkEnv(env map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			return fmt.Errorf("the environment variable %q cannot be given: a name is not empty and holds neither '=' nor NUL", name)
		case strings.ContainsRune(env[name], 0):
			return fmt.Errorf("the environment variable %q cannot be given: its value holds a NUL byte", name)
		}
	}
	return nil
}

// SecretExists reports whether a secret is granted to the guest and the operator has it.
// The guest never gets its value.
func (b *Bindings) SecretExists(name string) bool {
	return slices.Contains(b.named, name) && b.secrets.store != nil && b.secrets.store.Exists(name)
}

// Hide takes the secrets that the call used out of what the guest wrote, in case a server
// told it one. JSON stays JSON. The error is that of ctx; nothing is returned then, and
// without a secret there is none.
func (b *Bindings) Hide(ctx context.Context, text []byte) ([]byte, error) {
	return b.secrets.scrubber().JSON(ctx, text)
}

// HideBefore is Hide for a text that was cut at its end: what could be the beginning of a
// secret there is left out, too.
func (b *Bindings) HideBefore(ctx context.Context, text []byte) ([]byte, error) {
	return b.secrets.scrubber().Before(ctx, text)
}

// HideRoom is how many bytes HideAfter wants before a text that was cut at its beginning,
// so that neither half a secret there nor what could begin another lies beyond them.
const HideRoom = 2 * secret.MaxForm

// HideAfter is Hide for what follows the first bytes of a text that was cut at its
// beginning: the end of a secret there is none of it. room is HideRoom, or less where the
// text is no longer than that.
func (b *Bindings) HideAfter(ctx context.Context, text []byte, room int) ([]byte, error) {
	return b.secrets.scrubber().After(ctx, text, room)
}

// Usage returns what the call reached so far.
func (b *Bindings) Usage() capability.Usage {
	u := capability.Usage{Secrets: b.secrets.names()}
	names := func(list func() ([]string, bool)) []string {
		found, more := list()
		u.More = u.More || more
		return found
	}
	u.FilesRead, u.FilesWritten = names(b.Files.ReadPaths), names(b.Files.WrittenPaths)
	if b.Store != nil {
		u.KeysRead, u.KeysWritten = names(b.Store.read.List), names(b.Store.written.List)
	}
	if b.HTTP != nil {
		u.Requests = requestUsage(b.HTTP.client.Usage())
	}
	return u
}

// ClosesAtOnce reports whether Close has nothing to give back but directories, for which no
// host keeps anybody waiting: no file is open, nothing is to be removed and no server was
// within reach. Nobody may use what the call reaches meanwhile.
func (b *Bindings) ClosesAtOnce() bool { return b.HTTP == nil && b.Files.ClosesAtOnce() }

// Close takes back every handle: whatever still runs on behalf of the call finds
// its files and responses closed. Scratch space and temporary files are removed; see files.FS.Close and
// files.FS.Done. It may be called more than once.
func (b *Bindings) Close() error {
	if b.HTTP != nil {
		b.HTTP.client.Close()
	}
	return b.Files.Close()
}
