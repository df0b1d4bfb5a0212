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

// stage is where examples are run: one Registry, of which each example is a tenant with
// folders and stores of its own.
type stage struct {
	tools *registry.Registry
	// dir holds the folders of the examples, and count counts them.
	dir   string
	count int
}

func newStage(o Options, dir string, loaded []standard.LoadedManifest) (*stage, error) {
	nobody := filepath.Join(dir, "nobody") // the folder of calls that are no example's
	if err := os.Mkdir(nobody, 0o700); err != nil {
		return nil, err
	}
	yes := registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
		return registry.Answer{Yes: true}, nil
	})
	s := o.Tools
	s.Workspace, s.Words, s.Config, s.Policy, s.Sources.Servers = "", nil, nil, policy.Config{}, nil
	s.Registry.Rules = registry.Rules{Offer: offerAll(loaded, nobody)}
	s.Registry.Approvals = registry.ApprovalOptions{Approver: yes}
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

// offerAll offers what the manifests ask for. Variables are empty, and secrets have no
// value: what an example shows depends on nobody's machine.
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

// errOffline is what a request meets that no example said it would make.
var errOffline = errors.New("examples reach no network, unless they say network = true and are run with it")

// offline is HTTP without a network.
func offline() egress.Transport {
	return egress.Transport{
		LookupNetIP: func(context.Context, string, string) ([]netip.Addr, error) { return nil, errOffline },
		Dial:        func(context.Context, string, string) (net.Conn, error) { return nil, errOffline },
	}
}
