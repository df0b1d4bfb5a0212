package standard

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/mcp"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// adapt adds the tool of a manifest with [mcp] to its server. The server registers the tool when it
// has started.
func (a *assembly) adapt(m *manifests.Manifest, source string) error {
	servers := slices.Sorted(maps.Keys(a.o.config().Servers()))
	switch {
	case a.o.Config == nil:
		a.o.logger().Warn("a tool of an MCP server is left out", "tool", m.Name, "reason", "there is no operator's file")
		return nil
	case !slices.Contains(servers, m.MCP.Server):
		there := "add [servers." + m.MCP.Server + "] to it"
		if len(servers) > 0 {
			there += ", or write one of its servers: " + strings.Join(servers, ", ")
		}
		e := m.ErrorAt(source, "mcp.server", "the operator's file has no server "+m.MCP.Server+"; "+there)
		return (&tool.Error{Code: tool.CodeInvalidManifest, Message: e.Error()}).WithCause(e)
	}
	a.adapted[m.MCP.Server] = append(a.adapted[m.MCP.Server], mcp.Adapted{Tool: m.MCP.Tool, Spec: spec(m, source), Digest: m.Digest})
	return nil
}

// starts reports whether the server with a name is started: the Options name it, or one of its
// tools.
func (a *assembly) starts(server string) bool {
	sources, own := a.o.Sources, a.adapted[server]
	isIts := func(name string) bool {
		if name == sources.Tool {
			return len(own) > 0 // no other manifest is loaded
		}
		name = strings.ToLower(strings.TrimSpace(name))
		return mcp.ServerOf(name) == server || slices.ContainsFunc(own, func(t mcp.Adapted) bool {
			return t.Spec.Name == name || slices.Contains(t.Spec.Aliases, name)
		})
	}
	return slices.Contains(sources.Servers, server) || slices.ContainsFunc(sources.ServersOf, isIts)
}

// addServers starts the chosen servers of the operator's file concurrently and registers their
// tools.
func (a *assembly) addServers(tools *registry.Registry) error {
	o := a.o
	servers := o.config().Servers()
	maps.DeleteFunc(servers, func(name string, _ config.Server) bool { return !a.starts(name) })
	starts := each.Of(slices.Sorted(maps.Keys(servers)), func(name string) <-chan error {
		return tools.Tools().StartSource(mcp.NewServer(mcp.Options{
			Name: name, Command: servers[name].Command, Env: servers[name].Env, StartTimeout: servers[name].StartTimeout,
			URL: servers[name].URL, Private: servers[name].Private, Secret: servers[name].Secret, Secrets: a.secrets, HTTP: o.HTTP,
			LookupEnv: o.config().LookupEnv, Logger: o.Registry.Logger, Monitor: o.Sources.Monitor,
			Adapted: a.adapted[name], OnlyAdapted: !slices.Contains(o.Sources.Servers, name) && o.Sources.Tool != "",
		}))
	})
	if o.Sources.StartInBackground {
		for _, start := range starts {
			go a.reportStart(start)
		}
		return nil
	}
	var failures []error
	for _, start := range starts {
		if err := <-start; err != nil && o.Sources.OnLoadError != nil {
			o.Sources.OnLoadError(err)
		} else if err != nil {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// reportStart reports a server that does not start, unless the registry was closed meanwhile.
func (a *assembly) reportStart(start <-chan error) {
	switch err := <-start; {
	case err == nil || tool.CodeOf(err) == tool.CodeCancelled:
	case a.o.Sources.OnLoadError != nil:
		a.o.Sources.OnLoadError(err)
	default:
		a.o.logger().Warn("a server does not start", "reason", err)
	}
}

// notStarted returns the names in a policy, and in rules of tenants, that have the form of a
// server's tool. Such a tool is unknown if its server is not started or does not list the tool now.
func notStarted(o Options, p policy.Config) []string {
	servers := o.config().Servers()
	named := slices.Concat(p.Allow, p.Deny, slices.Collect(maps.Keys(p.Tools)))
	rules := slices.Clone(p.Rules)
	for _, t := range o.config().Tenants() {
		rules = append(rules, t.Rules...)
	}
	for _, rule := range rules {
		named = append(named, rule.Tools...)
	}
	return slices.DeleteFunc(named, func(name string) bool {
		_, ours := servers[mcp.ServerOf(name)]
		return !ours
	})
}
