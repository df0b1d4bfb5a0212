package examples

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/kv"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/standard"
)

// Stage runs examples in one Registry for those that reach no server, and in another one for those
// that do. Each example is a tenant with directories and stores of its own. It is not safe for
// concurrent use.
type Stage struct {
	o      Options
	loaded []standard.LoadedManifest // of the tools to test
	dir    string                    // holds the directories of the examples
	count  int                       // the number of examples run so far
	stores *kv.Memory
	opened []func() error // close what follows

	tools  *registry.Registry // for examples that reach no server
	memory *network
	// online is nil unless Options.Network or Options.Record is set. servers records the requests
	// of its examples; nil unless Options.Record is set.
	online  *registry.Registry
	servers *network
	secrets *secret.Store // real secrets, for online
}

// Open loads the tools of o. The error is a [tool.Error] if a tool is the cause.
func Open(o Options) (s *Stage, err error) {
	loaded, err := standard.Manifests(o.Tools)
	if err != nil {
		return nil, err
	}
	callable := loaded
	callsTools := func(m standard.LoadedManifest) bool { return len(m.Permissions.Tools) > 0 }
	if o.Tools.Sources.NoBuiltins && slices.ContainsFunc(loaded, callsTools) {
		o.Tools.Sources.NoBuiltins = false
		if callable, err = standard.Manifests(o.Tools); err != nil {
			return nil, err
		}
	}
	// Programs may print paths in this directory, so its name is short.
	dir, err := os.MkdirTemp("", "wasmtool-examples-")
	if err != nil {
		return nil, err
	}
	s = &Stage{o: o, loaded: loaded, dir: dir, stores: kv.NewMemory(kv.Options{}), secrets: secret.New(o.Tools.Secrets, secret.Options{})}
	// If the removal fails, the files stay in the temporary directory.
	s.opened = append(s.opened, func() error { _ = os.RemoveAll(dir); return nil })
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	// Every mount needs a directory. Examples have directories of their own and never use this one.
	unused := filepath.Join(dir, "unused")
	if err := os.Mkdir(unused, 0o700); err != nil {
		return s, err
	}
	if s.memory, err = s.newNetwork(); err != nil {
		return s, err
	}
	offer := offerAll(callable, unused)
	if s.tools, err = s.newRegistry(offer, s.memory.transport(o.Tools.HTTP, false)); err != nil || !o.Network && !o.Record {
		return s, err
	}
	transport := o.Tools.HTTP
	if o.Record {
		if s.servers, err = s.newNetwork(); err != nil {
			return s, err
		}
		transport = s.servers.transport(transport, true)
	}
	s.online, err = s.newRegistry(offer, transport)
	return s, err
}

func (s *Stage) newNetwork() (*network, error) {
	n, err := newNetwork()
	if err == nil {
		s.opened = append(s.opened, n.close)
	}
	return n, err
}

func (s *Stage) newRegistry(offer capability.Grantable, transport egress.Transport) (*registry.Registry, error) {
	approver := registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
		return registry.Answer{Yes: true}, nil
	})
	o := s.o.Tools
	o.Workspace, o.Permissions, o.Config, o.Policy, o.Sources.Servers = "", nil, nil, policy.Config{}, nil
	o.Registry.Rules = registry.Rules{Grantable: offer}
	o.Registry.Approvals = registry.ApprovalOptions{Approver: approver}
	o.Sources.Runtimes = standard.Runtimes(o) // before StateDir is replaced
	o.StateDir, o.KV, o.Registry.Calls.OnReceipt = filepath.Join(s.dir, "state"), s.stores, nil
	o.HTTP, o.Secrets = transport, nil
	tools, err := standard.New(o)
	if err == nil {
		s.opened = append(s.opened, tools.Close)
	}
	return tools, err
}

// Close closes everything, the registries before the networks that they use.
func (s *Stage) Close() error {
	var errs []error
	for i := len(s.opened) - 1; i >= 0; i-- {
		errs = append(errs, s.opened[i]())
	}
	return errors.Join(errs...)
}

// Manifests returns the manifests that Options.Names selects, in loading order. The error is a
// [tool.Error] for a name that is not a tool.
func (s *Stage) Manifests() ([]standard.LoadedManifest, error) {
	wanted := make(map[string]bool)
	for _, name := range s.o.Names {
		info, err := s.tools.Tools().Get(name)
		if err != nil {
			return nil, err
		}
		wanted[info.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(s.loaded), func(m standard.LoadedManifest) bool {
		return len(wanted) > 0 && !wanted[m.Name]
	}), nil
}

// Info returns the definition of a tool, as models see it.
func (s *Stage) Info(name string) (catalogue.Info, error) { return s.tools.Tools().Get(name) }

// Names returns the names of all tools that were loaded.
func (s *Stage) Names() []string {
	return each.Of(s.loaded, func(m standard.LoadedManifest) string { return m.Name })
}

// world is what one example can reach.
type world struct {
	tools    *registry.Registry
	secrets  *secret.Store
	network  *network  // nil is the real network
	recorder *recorder // nil if nothing is recorded
	answers  *answers  // nil if the example has none
}

// world connects an example to its answers, to servers, or to nothing. The error is one of the
// example.
func (s *Stage) world(ctx context.Context, m standard.LoadedManifest, e manifests.Example) (world, error) {
	online := e.Network || s.o.Record && e.HTTP != nil
	switch {
	case online && e.Secrets != nil:
		return world{}, errors.New("the example has test secrets, which are never sent to a server; to record it, remove secrets and use --secret")
	case online && s.o.Record:
		r := newRecorder(ctx, s.o.Tools.HTTP, m.Manifest, s.secrets)
		s.servers.use(r)
		return world{tools: s.online, secrets: s.secrets, network: s.servers, recorder: r}, nil
	case online:
		return world{tools: s.online, secrets: s.secrets}, nil
	case e.HTTP == nil:
		s.memory.use(nil)
		return world{tools: s.tools, network: s.memory}, nil
	}
	a := newAnswers(m.Manifest, e)
	s.memory.use(a)
	return world{tools: s.tools, network: s.memory, answers: a, secrets: a.secrets()}, nil
}

// end disconnects the example. It returns the host that the example wanted to reach if it is
// connected to nothing, and otherwise "".
func (w world) end() (wanted string) {
	if w.network == nil {
		return ""
	}
	return w.network.use(nil)
}

// offerAll makes everything grantable that the manifests ask for. Variables are empty and secrets
// have no value, so that the results of examples do not depend on the machine.
func offerAll(loaded []standard.LoadedManifest, dir string) capability.Grantable {
	offer := capability.Grantable{
		Mounts: make(map[string]capability.Mount), Env: make(map[string]string),
		Secrets: make(map[string]capability.GrantableSecret), KV: capability.ModeWrite,
	}
	for _, m := range loaded {
		for _, fs := range m.Permissions.FS {
			offer.Mounts[fs.Mount] = capability.Mount{Dir: dir, Mode: capability.ModeWrite}
		}
		for _, name := range m.Permissions.Env {
			offer.Env[name] = ""
		}
		offer.Tools = append(offer.Tools, m.Permissions.Tools...)
		for _, n := range m.Permissions.Net {
			offer.Net = append(offer.Net, capability.GrantableNet{URL: n.URL, Methods: n.Methods})
			for _, secret := range n.Secrets {
				offer.Secrets[secret.Name] = capability.GrantableSecret{}
			}
		}
	}
	delete(offer.Mounts, capability.ScratchMount)
	return offer
}
