package config

import (
	"errors"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Server is a server of the Model Context Protocol whose tools are offered besides. It has
// either a Command or a URL.
type Server struct {
	// Command is a program with its arguments, to be run without a shell. The program is an
	// absolute path, or a name to be looked up in the path.
	Command []string
	// Env are names of variables of this process that the program gets.
	Env []string
	// URL is where the server is, "https://HOST/PATH"; plain http only goes without a Secret,
	// or to a host that is named as local or may be private.
	URL string
	// Private lets the host of URL be at a private or loopback address.
	Private bool
	// Secret is what the host puts into each request to URL, the bearer token for one. One
	// without a name is none.
	Secret capability.SecretUse
	// Source is where this was written, as "file:line".
	Source string
}

// Same reports whether two servers are the same, wherever they were written.
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

// serverName has no underscore: two of them end it in the names of its tools.
var serverName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

func checkServerName(name string) error {
	if !serverName.MatchString(name) {
		return errors.New("is not the name of a server; write up to 32 of a-z, 0-9 and -, beginning with a letter")
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
			}
		},
		Read: func(at stricttoml.Place, n *stricttoml.Node) {
			s.Source = r.source(at)
			r.checkServer(at, n, &s)
			r.c.servers[name] = s
		},
	}
}

// checkServer reports what does not go together, and fills in how a token is sent.
func (r *reader) checkServer(at stricttoml.Place, n *stricttoml.Node, s *Server) {
	given := func(key string) bool { return n.Get(key) != nil }
	if given("command") == given("url") {
		r.Errorf(at, `write exactly one of command, the program and its arguments such as ["npx", "-y", "some-mcp-server"], and url`)
		return
	}
	for key, with := range map[string]string{"env": "command", "private": "url", "secret": "url", "header": "secret"} {
		if given(key) && !given(with) {
			r.Errorf(at.Member(key, n.Get(key).Offset), "goes only with %s; leave it out", with)
		}
	}
	if s.Secret.Name == "" {
		return
	}
	if s.Secret.Header == "" {
		s.Secret.Header, s.Secret.Prefix = "Authorization", "Bearer "
	}
	where, err := capability.ParseURLPattern(s.URL)
	if err != nil {
		return // it was reported
	}
	url := at.Member("url", n.Get("url").Offset)
	if where.Scheme() == "http" && !where.NamesLocal() && !s.Private {
		r.Errorf(url, "is plain http, which would show the secret on its way; write https")
	}
	if !r.mayGo(s.Secret.Name, where) {
		r.Errorf(url, "is not among the urls of the secret %s; add it there", s.Secret.Name)
	}
}

// mayGo reports whether a secret may go to a URL, as far as its table says. The table may
// stand further down in the file, so it is looked at as it is written.
func (r *reader) mayGo(name string, where capability.URLPattern) bool {
	urls := r.Root().Get("secrets").Get(name).Get("urls")
	return urls == nil || slices.ContainsFunc(urls.Items, func(n *stricttoml.Node) bool {
		p, err := capability.ParseURLPattern(n.Text)
		return err == nil && p.Contains(where)
	})
}

// serverSecret reads the name of a secret, which the file must have.
func (r *reader) serverSecret(into *string) stricttoml.Reader {
	return stricttoml.ReadString(r.Checker, into, func(text string) (string, error) {
		if err := checkSecretName(text); err != nil {
			return text, err
		}
		if r.Root().Get("secrets").Get(text) == nil {
			return text, errors.New("is no secret of this file; write [secrets." + text + "]")
		}
		return text, nil
	})
}

func parseServerHeader(text string) (string, error) {
	use := capability.SecretUse{Name: "x", Header: text}
	return text, use.Validate()
}

// parseServerURL reads one URL. What is wrong with it is told without repeating it, since
// people put secrets into URLs.
func parseServerURL(text string) (string, error) {
	where, err := capability.ParseURLPattern(text)
	if err == nil && (where.IsAny() || where.IsWildcard()) {
		err = errors.New("names no single server; write https://HOST/PATH")
	}
	return where.String(), err
}
