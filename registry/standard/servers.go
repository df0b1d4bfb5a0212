package standard

import (
	"errors"
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/mcp"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// addServers starts the chosen servers of the operator's file concurrently and registers their
// tools.
func (a *assembly) addServers(tools *registry.Registry) error {
	o := a.o
	servers := o.config().Servers()
	maps.DeleteFunc(servers, func(name string, _ config.Server) bool { return !slices.Contains(o.Sources.Servers, name) })
	var starts []<-chan error
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		starts = append(starts, tools.Tools().StartSource(mcp.NewServer(mcp.Options{
			Name: name, Command: servers[name].Command, Env: servers[name].Env, StartTimeout: servers[name].StartTimeout,
			URL: servers[name].URL, Private: servers[name].Private, Secret: servers[name].Secret, Secrets: a.secrets, HTTP: o.HTTP,
			LookupEnv: o.config().LookupEnv, Logger: o.Registry.Logger,
		})))
	}
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

// notStarted returns the names in a policy that have the form of a server's tool. Such a tool is
// unknown if its server is not started or does not list the tool now.
func notStarted(o Options, p policy.Config) []string {
	servers := o.config().Servers()
	named := slices.Concat(p.Allow, p.Deny, slices.Collect(maps.Keys(p.Tools)))
	for _, rule := range p.Rules {
		named = append(named, rule.Tools...)
	}
	return slices.DeleteFunc(named, func(name string) bool {
		_, ours := servers[mcp.ServerOf(name)]
		return !ours
	})
}
