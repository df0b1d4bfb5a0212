package config

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// SecretKind says where the value of a secret comes from.
type SecretKind string

// The kinds of secrets, named like the keys in the file.
const (
	// SecretEnv means that the value is in a variable of this process.
	SecretEnv SecretKind = "env"
	// SecretFile means that the value is the content of a file.
	SecretFile SecretKind = "file"
	// SecretCommand means that the value is the output of a program.
	SecretCommand SecretKind = "command"
	// SecretKeyring means that the value is in the keyring of the operating system.
	SecretKeyring SecretKind = "keyring"
	// SecretProgram means that the program itself has the value; see [Config.WithSecrets].
	SecretProgram SecretKind = "program"
)

// Bounds of [secrets].
const (
	minTTL     = time.Second
	maxTTL     = 24 * time.Hour
	maxKeyring = 256
	maxArg     = 4096
)

// SecretSource says where the value of a secret comes from. It does not contain the value.
type SecretSource struct {
	// Kind says which of the fields below is set.
	Kind SecretKind
	// Env is the name of a variable.
	Env string
	// File is an absolute path.
	File string
	// Command is a program with its arguments, to be run without a shell. The program is an
	// absolute path, or a name to look up in PATH.
	Command []string
	// Service and User name an entry of the keyring.
	Service, User string
	// TTL limits how long a value is used before it is read again, from a second to a day; 0 means
	// the lifetime of the process.
	TTL time.Duration
	// Source is the position of the entry as "file:line".
	Source string
}

// Same reports whether two sources are equal, apart from their positions.
func (s SecretSource) Same(other SecretSource) bool {
	s.Source, other.Source = "", ""
	return reflect.DeepEqual(s, other)
}

// SecretSources returns the sources of secrets by name.
func (c *Config) SecretSources() map[string]SecretSource {
	sources := make(map[string]SecretSource)
	for name, s := range c.secrets {
		s.Command = slices.Clone(s.Command)
		sources[name] = s.SecretSource
	}
	return sources
}

// WithSecrets returns a Config in which the values of these secrets come from the program. A secret
// that the file also has keeps its urls; a secret that the file does not have can be sent to every
// granted URL, and is granted to no tool. c is not changed.
func (c *Config) WithSecrets(names ...string) *Config {
	if len(names) == 0 {
		return c
	}
	more := *c
	more.secrets = maps.Clone(c.secrets)
	if more.secrets == nil {
		more.secrets = make(map[string]secret)
	}
	for _, name := range names {
		more.secrets[name] = secret{SecretSource: SecretSource{Kind: SecretProgram}, urls: c.secrets[name].urls}
	}
	return &more
}

func checkSecretName(name string) error { return checkPermissionName(capability.KindSecret, name) }

func (r *reader) secretKey(name string) stricttoml.Key {
	var s secret
	return stricttoml.Key{
		Path: "secrets.NAME", Want: stricttoml.WantTable,
		Members: func() []stricttoml.Key {
			return []stricttoml.Key{
				{Name: string(SecretEnv), Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &s.Env, parseEnvName)},
				{Name: string(SecretFile), Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &s.File, r.parsePath)},
				{Name: string(SecretCommand), Want: stricttoml.WantStrings, Read: r.command(&s.Command), Fix: `write a list of the program and its arguments, such as ["pass", "show", "github"]`},
				{Name: string(SecretKeyring), Want: stricttoml.WantString, Read: r.keyring(&s)},
				{Name: "urls", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(r.Checker, &s.urls, parseSecretURL)},
				{Name: "ttl", Want: stricttoml.WantString, Unit: stricttoml.SecondsOf, Read: stricttoml.ReadString(r.Checker, &s.TTL, parseTTL)},
			}
		},
		Read: func(at stricttoml.Place, n *stricttoml.Node) {
			s.Source = r.source(at)
			s.Kind = SecretKind(r.only(at, n, string(SecretEnv), string(SecretFile), string(SecretCommand), string(SecretKeyring)))
			if urls := n.Get("urls"); urls != nil && len(urls.Items) == 0 {
				r.Errorf(at.Member("urls", urls.Offset), "is empty; name the URLs that the secret may be sent to, or leave the key out for all granted URLs")
			}
			r.c.secrets[name] = s
		},
	}
}

func parseEnvName(text string) (string, error) {
	return text, checkPermissionName(capability.KindEnv, text)
}

func parseTTL(text string) (time.Duration, error) {
	return stricttoml.ParseDuration(text, minTTL, maxTTL)
}

// parseSecretURL reads a pattern. Its errors do not repeat the pattern, because people put secrets
// into URLs.
func parseSecretURL(text string) (capability.URLPattern, error) {
	url, err := capability.ParseURLPattern(text)
	if err == nil && url.IsAny() {
		return url, errors.New(`a secret cannot be sent to "any" host; name the URLs`)
	}
	return url, err
}

// command reads a program with its arguments. Unlike other lists, it may have equal elements.
func (r *reader) command(into *[]string) stricttoml.Reader {
	return func(at stricttoml.Place, n *stricttoml.Node) {
		if len(n.Items) == 0 {
			r.Errorf(at, `is empty; write the program and its arguments, such as ["pass", "show", "github"]`)
			return
		}
		add := func(_ stricttoml.Place, text string) { *into = append(*into, text) }
		r.EachString(at, n, func(at stricttoml.Place, item *stricttoml.Node) {
			switch program := item == n.Items[0]; {
			case program && item.Text == "":
				r.Errorf(at, "is empty; name a program")
			case len(item.Text) > maxArg:
				r.Errorf(at, "is longer than %d bytes; write a shorter argument", maxArg)
			case program && isPath(item.Text):
				stricttoml.ReadWith(r.Checker, r.parsePath, add)(at, item)
			default:
				add(at, item.Text)
			}
		})
	}
}

// keyring reads "service/user". A service may contain slashes.
func (r *reader) keyring(s *secret) stricttoml.Reader {
	return func(at stricttoml.Place, n *stricttoml.Node) {
		i := strings.LastIndexByte(n.Text, '/')
		switch {
		case len(n.Text) > maxKeyring || !plaintext.Plain(n.Text, plaintext.Word):
			r.Errorf(at, "is longer than %d bytes, or contains a character that is not printable; write another entry", maxKeyring)
		case i <= 0 || i == len(n.Text)-1:
			r.Errorf(at, `%s is not an entry of a keyring; write the service, a slash and the user, such as "github.com/me"`, stricttoml.Quote(n.Text))
		default:
			s.Service, s.User = n.Text[:i], n.Text[i+1:]
		}
	}
}

// MaySend reports whether the file allows sending a secret to a URL.
func (c *Config) MaySend(name, url string) bool {
	urls := c.secrets[name].urls
	where, err := capability.ParseURLPattern(url)
	return err == nil && (urls == nil || slices.ContainsFunc(urls, func(p capability.URLPattern) bool { return p.Contains(where) }))
}
