package capability

import (
	"slices"
	"strings"
)

// Kind is the first part of a word.
type Kind string

// The kinds of words.
const (
	KindRead       Kind = "read"
	KindWrite      Kind = "write"
	KindNet        Kind = "net"
	KindNetPrivate Kind = "net-private"
	KindEnv        Kind = "env"
	KindSecret     Kind = "secret"
	KindKV         Kind = "kv"
	KindClock      Kind = "clock"
	KindRandom     Kind = "random"
)

// Word is one permission as people write it:
//
//	read:MOUNT        reading below a mount
//	write:MOUNT       writing there, too
//	net:URL           every method that the tool asks for; URL is a URLPattern
//	net:GET,HEAD:URL  those methods only
//	net:any           every public host
//	net-private:URL   like net, and the host may be at a private or loopback address
//	env:NAME          an environment variable
//	secret:NAME       a secret, put into requests by the host
//	kv:read           reading the tool's own store
//	kv:write          writing it, too
//	clock             real time
//	random            real randomness
//
// The same word gives when the operator offers it and takes away when the operator
// denies it; see Deny for what a denial reaches.
//
// Words can be compared with == and be keys of maps. The zero value is no word.
type Word struct {
	kind    Kind
	name    string // of a mount, variable or secret; "read" or "write" of KindKV
	url     URLPattern
	methods string // in order, with commas between; "" for all
}

// Kind returns the kind; "" for the zero value.
func (w Word) Kind() Kind { return w.kind }

// Name returns the name of the mount, variable or secret; for KindKV "read" or
// "write"; else "".
func (w Word) Name() string { return w.name }

// URL returns the pattern of KindNet and KindNetPrivate; else the zero value.
func (w Word) URL() URLPattern { return w.url }

// Methods returns the methods of KindNet and KindNetPrivate, sorted; nil for every
// method.
func (w Word) Methods() []string {
	if w.methods == "" {
		return nil
	}
	return strings.Split(w.methods, ",")
}

// String returns the word as ParseWord reads it; "" for the zero value.
func (w Word) String() string {
	switch w.kind {
	case KindClock, KindRandom, "":
		return string(w.kind)
	case KindNet, KindNetPrivate:
		text := string(w.kind) + ":"
		if w.methods != "" {
			text += w.methods + ":"
		}
		return text + w.url.String()
	}
	return string(w.kind) + ":" + w.name
}

// IsZero reports the zero value, which is no word.
func (w Word) IsZero() bool { return w == Word{} }

// IsScratch reports a word for ScratchMount, which each call has for itself.
func (w Word) IsScratch() bool {
	return w.name == ScratchMount && (w.kind == KindRead || w.kind == KindWrite)
}

// Strings returns the words as text; nil for none.
func Strings(words []Word) []string {
	var texts []string
	for _, w := range words {
		texts = append(texts, w.String())
	}
	return texts
}

// MarshalText returns String.
func (w Word) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads what ParseWord reads.
func (w *Word) UnmarshalText(text []byte) error {
	read, err := ParseWord(string(text))
	if err == nil {
		*w = read
	}
	return err
}

func (w Word) isNet() bool { return w.kind == KindNet || w.kind == KindNetPrivate }

// mode returns what a word of a mount or store lets do.
func (w Word) mode() Mode {
	switch {
	case w.kind == KindRead, w.kind == KindKV && w.name == ModeRead.String():
		return ModeRead
	case w.kind == KindWrite, w.kind == KindKV && w.name == ModeWrite.String():
		return ModeWrite
	}
	return ModeNone
}

// modeWord is the word for a mode: of a mount for KindRead, of the store for KindKV.
func modeWord(kind Kind, mode Mode, mount string) Word {
	if kind == KindKV {
		return Word{kind: KindKV, name: mode.String()}
	}
	return Word{kind: Kind(mode.String()), name: mount}
}

func netWord(kind Kind, url URLPattern, methods []string) Word {
	sorted := slices.Sorted(slices.Values(methods))
	return Word{kind: kind, url: url, methods: strings.Join(sorted, ",")}
}

func envWord(name string) Word { return Word{kind: KindEnv, name: name} }
