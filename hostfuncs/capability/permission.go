package capability

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/suggest"
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
type Permission struct {
	kind    Kind
	name    string // of a mount, variable or secret; "read" or "write" of KindKV
	url     URLPattern
	methods string // in order, with commas between; "" for all
}

// Kind returns the kind; "" for the zero value.
func (w Permission) Kind() Kind { return w.kind }

// Name returns the name of the mount, variable or secret; for KindKV "read" or
// "write"; else "".
func (w Permission) Name() string { return w.name }

// URL returns the pattern of KindNet and KindNetPrivate; else the zero value.
func (w Permission) URL() URLPattern { return w.url }

// Methods returns the methods of KindNet and KindNetPrivate, sorted; nil for every
// method.
func (w Permission) Methods() []string {
	if w.methods == "" {
		return nil
	}
	return strings.Split(w.methods, ",")
}

// String returns the word as ParsePermission reads it; "" for the zero value.
func (w Permission) String() string {
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
func (w Permission) IsZero() bool { return w == Permission{} }

// IsScratch reports a word for ScratchMount, which each call has for itself.
func (w Permission) IsScratch() bool {
	return w.name == ScratchMount && (w.kind == KindRead || w.kind == KindWrite)
}

// Strings returns the words as text; nil for none.
func Strings(words []Permission) []string { return each(words, Permission.String) }

// each returns what f makes of each element; nil for none.
func each[T, U any](list []T, f func(T) U) []U {
	var results []U
	for _, element := range list {
		results = append(results, f(element))
	}
	return results
}

// MarshalText returns String.
func (w Permission) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads what ParsePermission reads.
func (w *Permission) UnmarshalText(text []byte) error {
	read, err := ParsePermission(string(text))
	if err == nil {
		*w = read
	}
	return err
}

func (w Permission) isNet() bool { return w.kind == KindNet || w.kind == KindNetPrivate }

// mode returns what a word of a mount or store lets do.
func (w Permission) mode() Mode {
	switch {
	case w.kind == KindRead, w.kind == KindKV && w.name == ModeRead.String():
		return ModeRead
	case w.kind == KindWrite, w.kind == KindKV && w.name == ModeWrite.String():
		return ModeWrite
	}
	return ModeNone
}

// modeWord is the word for a mode: of a mount for KindRead, of the store for KindKV.
func modeWord(kind Kind, mode Mode, mount string) Permission {
	if kind == KindKV {
		return Permission{kind: KindKV, name: mode.String()}
	}
	return Permission{kind: Kind(mode.String()), name: mount}
}

func netWord(kind Kind, url URLPattern, methods []string) Permission {
	sorted := slices.Sorted(slices.Values(methods))
	return Permission{kind: kind, url: url, methods: strings.Join(sorted, ",")}
}

func envWord(name string) Permission { return Permission{kind: KindEnv, name: name} }

// forms shows each kind as it is written, in the order in which they are listed.
var forms = []struct {
	kind Kind
	form string
}{
	{KindRead, "read:MOUNT"},
	{KindWrite, "write:MOUNT"},
	{KindNet, "net:URL"},
	{KindNetPrivate, "net-private:URL"},
	{KindEnv, "env:NAME"},
	{KindSecret, "secret:NAME"},
	{KindKV, "kv:read or kv:write"},
	{KindClock, "clock"},
	{KindRandom, "random"},
}

// secretPart is the userinfo or the query of a URL.
var secretPart = regexp.MustCompile(`(//)[^/?#]*@|([?#]).*`)

// PermissionError is a word that cannot be read.
type PermissionError struct {
	// Word is the text as it was given, quoted, shortened, and without what may be a
	// secret in a URL.
	Permission string
	// Problem says what is wrong with it and what to write instead.
	Problem error
}

// Error names the word, the problem and the fix.
func (e *PermissionError) Error() string {
	return "permission " + e.Permission + ": " + e.Problem.Error()
}

// Unwrap returns the problem, a *URLError where a URL is at fault.
func (e *PermissionError) Unwrap() error { return e.Problem }

// ParsePermission reads a word in the grammar of Word. Errors are a *PermissionError.
func ParsePermission(text string) (Permission, error) {
	w, err := parseWord(text)
	if err != nil {
		return Permission{}, &PermissionError{Permission: shown(secretPart.ReplaceAllString(text, "$1$2…")), Problem: err}
	}
	return w, nil
}

// NewPermission returns the word of a kind for a name, a mode of the store or a URL: all but
// KindClock and KindRandom have one. The error says what is wrong with that and what to
// write instead; it is a *URLError where a URL is at fault.
func NewPermission(kind Kind, name string) (Permission, error) {
	return parseWord(string(kind) + ":" + name)
}

func parseWord(text string) (Permission, error) {
	head, rest, colon := strings.Cut(text, ":")
	w := Permission{kind: Kind(head)}
	switch w.kind {
	case KindClock, KindRandom:
		if colon {
			return w, fmt.Errorf("nothing follows %s; write %s", head, head)
		}
		return w, nil
	case KindNet, KindNetPrivate:
		return parseNetWord(w.kind, rest)
	}
	w.name = rest
	switch w.kind {
	case KindRead, KindWrite:
		return w, checkGrammar(mountName, rest, `a mount; write a lower-case letter, then up to 63 of a-z, 0-9, "_" and "-"`)
	case KindEnv:
		return w, checkNoPattern(envName, rest, "variables", `a variable; write up to 128 letters, digits and "_", such as LANG`)
	case KindSecret:
		return w, checkSecretName(rest)
	case KindKV:
		if w.mode() == ModeNone {
			return w, errors.New("the store is for reading or writing; write kv:read or kv:write")
		}
		return w, nil
	}
	return w, unknownKind(text, head)
}

// parseNetWord reads [METHODS:]URL.
func parseNetWord(kind Kind, text string) (Permission, error) {
	var methods []string
	if head, rest, ok := strings.Cut(text, ":"); ok && head != "" && !strings.HasPrefix(rest, "//") && !strings.ContainsAny(head, "/.[") {
		methods, text = strings.Split(head, ","), rest
		if err := checkMethods(methods); err != nil {
			return Permission{}, err
		}
	}
	url, err := ParseURLPattern(text)
	if err != nil {
		return Permission{}, err
	}
	if kind == KindNetPrivate && url.IsAny() {
		return Permission{}, errors.New("there is no word for every private host; name each")
	}
	return netWord(kind, url, methods), nil
}

// unknownKind says what the nearest word would be.
func unknownKind(text, head string) error {
	if lower := strings.ToLower(head); defaultPort(lower) != 0 && strings.HasPrefix(text[len(head):], "://") {
		return errors.New("a URL is granted with net: before it; write net:" + lower + "://...")
	}
	var kinds, all []string
	for _, f := range forms {
		kinds = append(kinds, string(f.kind))
		all = append(all, f.form)
	}
	if near := suggest.Nearest(head, kinds); near != "" {
		return fmt.Errorf("%s is no kind of permission; did you mean %s?", shown(head), near)
	}
	return fmt.Errorf("%s is no kind of permission; write %s", shown(head), strings.Join(all, ", "))
}

// The grammars of names. Secrets may have hyphens, as the keys of a TOML file do.
var (
	mountName  = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
	envName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	secretName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,127}$`)
)

// checkSecretName refuses what cannot be the name of a secret.
func checkSecretName(name string) error {
	return checkNoPattern(secretName, name, "secrets", `a secret; write up to 128 letters, digits, "_" and "-", such as GITHUB_TOKEN`)
}

// checkNoPattern is for names that are only ever granted one by one.
func checkNoPattern(grammar *regexp.Regexp, name, many, rule string) error {
	if name == anyText || strings.ContainsAny(name, "*?") {
		return fmt.Errorf("there is no word for all %s; name each", many)
	}
	return checkGrammar(grammar, name, rule)
}

func checkGrammar(grammar *regexp.Regexp, name, rule string) error {
	switch {
	case grammar.MatchString(name):
		return nil
	case name == "":
		return errors.New("there is no name; write that of " + rule)
	}
	return errors.New(shown(name) + " is not the name of " + rule)
}
