package config

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Server is an MCP server whose tools are offered together with the other tools. It has either a
// Command or a URL.
type Server struct {
	// Command is a program with its arguments, to be run without a shell. The program is an
	// absolute path, or a name to look up in PATH.
	Command []string
	// Env are the names of variables of this process that are passed to the program.
	Env []string
	// URL is the address of the server, "https://HOST/PATH". With a Secret, plain http is allowed
	// only for a host with a local name, or when Private is set.
	URL string
	// Private allows the host of URL to have a private or loopback address.
	Private bool
	// Secret is added to each request to URL, for example as a bearer token. An empty Secret.Name
	// means none.
	Secret capability.SecretUse
	// StartTimeout limits starting the server and listing its tools; 0 means the default.
	StartTimeout time.Duration
	// Source is the position of the entry as "file:line".
	Source string
}

// Same reports whether two servers are equal, apart from their positions.
func (s Server) Same(other Server) bool {
	s.Source, other.Source = "", ""
	return reflect.DeepEqual(s, other)
}

// Servers returns the servers by name.
func (c *Config) Servers() map[string]Server {
	servers := maps.Clone(c.servers)
	for name, s := range servers {
		s.Command, s.Env = slices.Clone(s.Command), slices.Clone(s.Env)
		servers[name] = s
	}
	return servers
}

// Limits of start_timeout.
const (
	minStartTimeout = time.Second
	maxStartTimeout = 10 * time.Minute
)

func parseStartTimeout(text string) (time.Duration, error) {
	return stricttoml.ParseDuration(text, minStartTimeout, maxStartTimeout)
}

// serverName allows no underscore, because two underscores separate the server's name from the rest
// of a tool's name.
var serverName = lazyregexp.New(`^[a-z][a-z0-9-]{0,31}$`)

func checkServerName(name string) error {
	if !serverName.MatchString(name) {
		return errors.New("is not a valid server name; use up to 32 of a-z, 0-9 and -, beginning with a letter")
	}
	return nil
}

func (r *reader) serverKey(name string) stricttoml.Key {
	var s Server
	return stricttoml.Key{
		Path: "servers.NAME", Want: stricttoml.WantTable,
		Members: func() []stricttoml.Key {
			return []stricttoml.Key{
				{Name: "command", Want: stricttoml.WantStrings, Read: r.command(&s.Command)},
				{Name: "env", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(r.Checker, &s.Env, parseEnvName)},
				{Name: "url", Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &s.URL, parseServerURL)},
				{Name: "private", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&s.Private)},
				{Name: "secret", Want: stricttoml.WantString, Read: r.serverSecret(&s.Secret.Name)},
				{Name: "header", Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &s.Secret.Header, parseServerHeader)},
				{Name: "start_timeout", Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &s.StartTimeout, parseStartTimeout)},
			}
		},
		Read: func(at stricttoml.Place, n *stricttoml.Node) {
			s.Source = r.source(at)
			r.checkServer(at, n, &s)
			r.c.servers[name] = s
		},
	}
}

// checkServer reports keys that exclude each other, and sets the default header for the secret.
func (r *reader) checkServer(at stricttoml.Place, n *stricttoml.Node, s *Server) {
	given := func(key string) bool { return n.Get(key) != nil }
	if given("command") == given("url") {
		r.Errorf(at, `write either command, such as command = ["npx", "-y", "some-mcp-server"], or url`)
		return
	}
	for key, with := range map[string]string{"env": "command", "private": "url", "secret": "url", "header": "secret"} {
		if given(key) && !given(with) {
			r.Errorf(at.Member(key, n.Get(key).Offset), "is allowed only with %s; leave it out", with)
		}
	}
	if s.Secret.Name == "" {
		return
	}
	if s.Secret.Header == "" {
		s.Secret.Header, s.Secret.Prefix = "Authorization", "Bearer "
	}
	r.checkSecretURL(at.Member("url", n.Get("url").Offset), s.Secret.Name, s.URL, s.Private)
}

// checkSecretURL reports a URL to which a secret must not be sent.
func (r *reader) checkSecretURL(at stricttoml.Place, secret, url string, private bool) {
	where, err := capability.ParseURLPattern(url)
	if err != nil {
		return // already reported
	}
	if where.Scheme() == "http" && !where.NamesLocal() && !private {
		r.Errorf(at, "is plain http, which would reveal the secret; write https")
	}
	if !r.mayGo(secret, where) {
		r.Errorf(at, "is not among the urls of the secret %s; add it there", secret)
	}
}

// mayGo reports whether the file allows sending a secret to a URL. It reads the parsed file,
// because the Config does not yet have a secret that comes later in the file.
func (r *reader) mayGo(name string, where capability.URLPattern) bool {
	urls := r.Root().Get("secrets").Get(name).Get("urls")
	return urls == nil || slices.ContainsFunc(urls.Items, func(n *stricttoml.Node) bool {
		p, err := capability.ParseURLPattern(n.Text)
		return err == nil && p.Contains(where)
	})
}

// serverSecret reads the name of a secret, which the file must define.
func (r *reader) serverSecret(into *string) stricttoml.Reader {
	return stricttoml.ReadString(r.Checker, into, func(text string) (string, error) {
		if err := checkSecretName(text); err != nil {
			return text, err
		}
		if r.Root().Get("secrets").Get(text) == nil {
			return text, errors.New("is not a secret of this file; add [secrets." + text + "]")
		}
		return text, nil
	})
}

func parseServerHeader(text string) (string, error) {
	use := capability.SecretUse{Name: "x", Header: text}
	return text, use.Validate()
}

// parseServerURL reads one URL. Its errors do not repeat the URL, because people put secrets into
// URLs.
func parseServerURL(text string) (string, error) {
	where, err := capability.ParseURLPattern(text)
	if err == nil && (where.IsAny() || where.IsWildcard()) {
		err = errors.New("matches more than one server; write https://HOST/PATH")
	}
	return where.String(), err
}
