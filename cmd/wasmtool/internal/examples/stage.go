package examples

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/standard"
)

// stage runs examples in one Registry. Each example is a tenant with directories and stores of its
// own.
type stage struct {
	tools *registry.Registry
	dir   string // holds the directories of the examples
	count int    // the number of examples run so far
}

func newStage(o Options, dir string, loaded []standard.LoadedManifest) (*stage, error) {
	// Every mount needs a directory. Examples have directories of their own and never use this one.
	unused := filepath.Join(dir, "unused")
	if err := os.Mkdir(unused, 0o700); err != nil {
		return nil, err
	}
	approver := registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
		return registry.Answer{Yes: true}, nil
	})
	s := o.Tools
	s.Workspace, s.Permissions, s.Config, s.Policy, s.Sources.Servers = "", nil, nil, policy.Config{}, nil
	s.Registry.Rules = registry.Rules{Grantable: offerAll(loaded, unused)}
	s.Registry.Approvals = registry.ApprovalOptions{Approver: approver}
	s.StateDir, s.Registry.Calls.OnReceipt = filepath.Join(dir, "state"), nil
	if !o.Network {
		s.HTTP = offline()
	}
	tools, err := standard.New(s)
	if err != nil {
		return nil, err
	}
	return &stage{tools: tools, dir: dir}, nil
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

// errOffline is the error of every request without Options.Network.
var errOffline = errors.New("examples have no network; set network = true in the example and run it with --network")

// offline returns an HTTP transport that fails every request with errOffline.
func offline() egress.Transport {
	return egress.Transport{
		LookupNetIP: func(context.Context, string, string) ([]netip.Addr, error) { return nil, errOffline },
		Dial:        func(context.Context, string, string) (net.Conn, error) { return nil, errOffline },
	}
}
