package capability

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/suggest"
)

// Kind is the first part of a permission.
type Kind string

// The kinds of permissions.
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
	KindTools      Kind = "tools"
)

// Permission is one permission in the form in which people write it:
//
//	read:MOUNT        reading below a mount
//	write:MOUNT       reading and writing there
//	net:URL           every method that the tool requests; URL is a URLPattern
//	net:GET,HEAD:URL  those methods only
//	net:any           every public host
//	net-private:URL   like net, and the host may be at a private or loopback address
//	env:NAME          an environment variable
//	secret:NAME       a secret, added to requests by the host
//	kv:read           reading the tool's own store
//	kv:write          reading and writing it
//	clock             real time
//	random            real randomness
//	tools:NAME        calls of another tool of the caller
//	tools:PREFIX*     calls of every tool whose name begins so
//
// The same text makes an access grantable or denies it, depending on where the operator writes it;
// see [Deny] for what a denial covers.
//
// Permissions can be compared with == and used as map keys. The zero value is not a permission.
type Permission struct {
	kind    Kind
	name    string // the name of a mount, variable, secret or tool; "read" or "write" for KindKV
	url     URLPattern
	methods string // sorted and separated by commas; "" for all
}

// Kind returns the kind, or "" for the zero value.
func (p Permission) Kind() Kind { return p.kind }

// Name returns the name of the mount, variable, secret or tool, "read" or "write" for KindKV, and
// "" for other kinds. The name of a tool may end with "*".
func (p Permission) Name() string { return p.name }

// URL returns the pattern of KindNet and KindNetPrivate, and the zero value for other kinds.
func (p Permission) URL() URLPattern { return p.url }

// Methods returns the methods of KindNet and KindNetPrivate, sorted; nil means every method.
func (p Permission) Methods() []string {
	if p.methods == "" {
		return nil
	}
	return strings.Split(p.methods, ",")
}

// String returns the text that [ParsePermission] reads, or "" for the zero value.
func (p Permission) String() string {
	switch p.kind {
	case KindClock, KindRandom, "":
		return string(p.kind)
	case KindNet, KindNetPrivate:
		text := string(p.kind) + ":"
		if p.methods != "" {
			text += p.methods + ":"
		}
		return text + p.url.String()
	}
	return string(p.kind) + ":" + p.name
}

// IsZero reports whether p is the zero value, which is not a permission.
func (p Permission) IsZero() bool { return p == Permission{} }

// IsScratch reports whether p is for ScratchMount, which is private to each call.
func (p Permission) IsScratch() bool {
	return p.name == ScratchMount && (p.kind == KindRead || p.kind == KindWrite)
}

// Strings returns the permissions as text; nil for none.
func Strings(permissions []Permission) []string { return each.Of(permissions, Permission.String) }

// MarshalText returns the result of String.
func (p Permission) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the text that [ParsePermission] reads.
func (p *Permission) UnmarshalText(text []byte) error {
	read, err := ParsePermission(string(text))
	if err == nil {
		*p = read
	}
	return err
}

func (p Permission) isNet() bool { return p.kind == KindNet || p.kind == KindNetPrivate }

// mode returns the access of a permission for a mount or store.
func (p Permission) mode() Mode {
	switch {
	case p.kind == KindRead, p.kind == KindKV && p.name == ModeRead.String():
		return ModeRead
	case p.kind == KindWrite, p.kind == KindKV && p.name == ModeWrite.String():
		return ModeWrite
	}
	return ModeNone
}

// modePermission returns the permission to access the store (KindKV) or a mount (otherwise) with
// the given mode.
func modePermission(kind Kind, mode Mode, mount string) Permission {
	if kind == KindKV {
		return Permission{kind: KindKV, name: mode.String()}
	}
	return Permission{kind: Kind(mode.String()), name: mount}
}

func netPermission(kind Kind, url URLPattern, methods []string) Permission {
	sorted := slices.Sorted(slices.Values(methods))
	return Permission{kind: kind, url: url, methods: strings.Join(sorted, ",")}
}

func envPermission(name string) Permission { return Permission{kind: KindEnv, name: name} }

// forms shows how each kind is written, in the order in which kinds are listed.
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
	{KindTools, "tools:NAME"},
}

// Kinds returns all kinds of permissions. The caller may change the result.
func Kinds() []Kind {
	kinds := make([]Kind, len(forms))
	for i, f := range forms {
		kinds[i] = f.kind
	}
	return kinds
}

// secretPart matches the user information and the query of a URL.
var secretPart = lazyregexp.New(`(//)[^/?#]*@|([?#]).*`)

// PermissionError means that a text is not a permission.
type PermissionError struct {
	// Permission is the given text, quoted, shortened, and without parts of a URL that may be
	// secret.
	Permission string
	// Problem says what is wrong with the text and what to write instead.
	Problem error
}

// Error names the permission, the problem and the fix.
func (e *PermissionError) Error() string {
	return "permission " + e.Permission + ": " + e.Problem.Error()
}

// Unwrap returns the problem, which is a [*URLError] if a URL is invalid.
func (e *PermissionError) Unwrap() error { return e.Problem }

// ParsePermission parses the grammar of [Permission]. Errors are a [*PermissionError].
func ParsePermission(text string) (Permission, error) {
	p, err := parsePermission(text)
	if err != nil {
		return Permission{}, &PermissionError{Permission: shown(secretPart.Regexp().ReplaceAllString(text, "$1$2…")), Problem: err}
	}
	return p, nil
}

// NewPermission returns the permission of a kind for a name, a mode of the store or a URL.
// KindClock and KindRandom have none of these and are not supported. The error says what is wrong
// and what to write instead; it is a [*URLError] if a URL is invalid.
func NewPermission(kind Kind, name string) (Permission, error) {
	return parsePermission(string(kind) + ":" + name)
}

func parsePermission(text string) (Permission, error) {
	head, rest, colon := strings.Cut(text, ":")
	p := Permission{kind: Kind(head)}
	switch p.kind {
	case KindClock, KindRandom:
		if colon {
			return p, fmt.Errorf("nothing may follow %s; write %s", head, head)
		}
		return p, nil
	case KindNet, KindNetPrivate:
		return parseNetPermission(p.kind, rest)
	}
	p.name = rest
	switch p.kind {
	case KindRead, KindWrite:
		return p, checkGrammar(mountName, rest, `a mount; write a lower-case letter, then up to 63 of a-z, 0-9, "_" and "-"`)
	case KindEnv:
		return p, checkNoPattern(envName, rest, "variables", `a variable; write up to 128 letters, digits and "_", such as LANG`)
	case KindSecret:
		return p, checkSecretName(rest)
	case KindTools:
		return p, checkGrammar(toolPattern, rest, `a tool; write a name such as grep, or its beginning and a star, such as mcp__github__*`)
	case KindKV:
		if p.mode() == ModeNone {
			return p, errors.New("the store has the modes read and write; write kv:read or kv:write")
		}
		return p, nil
	}
	return p, unknownKind(text, head)
}

// parseNetPermission parses [METHODS:]URL.
func parseNetPermission(kind Kind, text string) (Permission, error) {
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
		return Permission{}, errors.New("there is no permission for every private host; name each one")
	}
	return netPermission(kind, url, methods), nil
}

// unknownKind returns an error that suggests a similar kind.
func unknownKind(text, head string) error {
	if lower := strings.ToLower(head); defaultPort(lower) != 0 && strings.HasPrefix(text[len(head):], "://") {
		return errors.New("a URL needs net: in front of it; write net:" + lower + "://...")
	}
	var kinds, all []string
	for _, f := range forms {
		kinds = append(kinds, string(f.kind))
		all = append(all, f.form)
	}
	if near := suggest.Nearest(head, kinds); near != "" {
		return fmt.Errorf("%s is not a kind of permission; did you mean %s?", shown(head), near)
	}
	return fmt.Errorf("%s is not a kind of permission; write %s", shown(head), strings.Join(all, ", "))
}

// The grammars of names. Names of secrets may contain hyphens, like keys of a TOML file.
var (
	mountName = lazyregexp.New(`^[a-z][a-z0-9_-]{0,63}$`)
	envName   = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	// A pattern is the name of a tool, or the beginning of names and a star.
	toolPattern = lazyregexp.New(`^([a-z][a-z0-9_-]{0,63}|([a-z][a-z0-9_-]{0,62})?\*)$`)
	secretName  = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_-]{0,127}$`)
)

// checkSecretName refuses an invalid name of a secret.
func checkSecretName(name string) error {
	return checkNoPattern(secretName, name, "secrets", `a secret; write up to 128 letters, digits, "_" and "-", such as GITHUB_TOKEN`)
}

// checkNoPattern checks a name. It refuses patterns, because each of these names must be granted
// individually.
func checkNoPattern(grammar lazyregexp.Pattern, name, many, rule string) error {
	if name == anyText || strings.ContainsAny(name, "*?") {
		return fmt.Errorf("there is no permission for all %s; name each one", many)
	}
	return checkGrammar(grammar, name, rule)
}

func checkGrammar(grammar lazyregexp.Pattern, name, rule string) error {
	switch {
	case grammar.MatchString(name):
		return nil
	case name == "":
		return errors.New("the name is missing; it must be the name of " + rule)
	}
	return errors.New(shown(name) + " is not the name of " + rule)
}
