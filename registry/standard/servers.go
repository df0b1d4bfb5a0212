package standard

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/mcp"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// addServers starts the chosen servers of the operator's file concurrently and registers their
// tools.
func (a *assembly) addServers(tools *registry.Registry) error {
	o := a.o
	servers := o.config().Servers()
	maps.DeleteFunc(servers, func(name string, _ config.Server) bool { return !slices.Contains(o.Sources.Servers, name) })
	names := slices.Sorted(maps.Keys(servers))
	failures := make([]error, len(names))
	var started sync.WaitGroup
	for i, name := range names {
		server := mcp.NewServer(mcp.Options{
			Name: name, Command: servers[name].Command, Env: servers[name].Env,
			URL: servers[name].URL, Private: servers[name].Private, Secret: servers[name].Secret, Secrets: a.secrets, HTTP: o.HTTP,
			LookupEnv: o.config().LookupEnv, Logger: o.Registry.Logger,
		})
		started.Go(func() { failures[i] = tools.Tools().AddSource(context.Background(), server) })
	}
	started.Wait()
	if o.Sources.OnLoadError == nil {
		return errors.Join(failures...)
	}
	for _, err := range failures {
		if err != nil {
			o.Sources.OnLoadError(err)
		}
	}
	return nil
}

// notStarted returns the names in a policy that have the form of a server's tool, but whose server
// is not started or does not list the tool now.
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
