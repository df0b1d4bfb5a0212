package config

import (
	"errors"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Server is a server of the Model Context Protocol whose tools are offered besides.
type Server struct {
	// Command is a program with its arguments, to be run without a shell. The program is an
	// absolute path, or a name to be looked up in the path.
	Command []string
	// Env are names of variables of this process that the program gets.
	Env []string
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
				{
					Name: "command", Want: stricttoml.WantTexts, Read: r.command(&s.Command),
					Required: `the program and its arguments, such as command = ["npx", "-y", "some-mcp-server"]`,
				},
				{Name: "env", Want: stricttoml.WantTexts, Read: stricttoml.ReadTexts(r.Checker, &s.Env, parseEnvName)},
			}
		},
		Read: func(at stricttoml.Place, _ *stricttoml.Node) {
			s.Source = r.source(at)
			r.c.servers[name] = s
		},
	}
}
