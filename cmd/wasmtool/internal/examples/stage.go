package examples

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/kv"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/standard"
)

// stage runs examples in one Registry for those that reach no server, and in another one for those
// that do. Each example is a tenant with directories and stores of its own.
type stage struct {
	o      Options
	dir    string // holds the directories of the examples
	count  int    // the number of examples run so far
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

func newStage(o Options, dir string, loaded []standard.LoadedManifest) (s *stage, err error) {
	// Every mount needs a directory. Examples have directories of their own and never use this one.
	unused := filepath.Join(dir, "unused")
	if err := os.Mkdir(unused, 0o700); err != nil {
		return nil, err
	}
	s = &stage{o: o, dir: dir, stores: kv.NewMemory(kv.Options{}), secrets: secret.New(o.Tools.Secrets, secret.Options{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.memory, err = s.newNetwork(); err != nil {
		return s, err
	}
	offer := offerAll(loaded, unused)
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

func (s *stage) newNetwork() (*network, error) {
	n, err := newNetwork()
	if err == nil {
		s.opened = append(s.opened, n.close)
	}
	return n, err
}

func (s *stage) newRegistry(offer capability.Grantable, transport egress.Transport) (*registry.Registry, error) {
	approver := registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
		return registry.Answer{Yes: true}, nil
	})
	o := s.o.Tools
	o.Workspace, o.Permissions, o.Config, o.Policy, o.Sources.Servers = "", nil, nil, policy.Config{}, nil
	o.Registry.Rules = registry.Rules{Grantable: offer}
	o.Registry.Approvals = registry.ApprovalOptions{Approver: approver}
	o.StateDir, o.KV, o.Registry.Calls.OnReceipt = filepath.Join(s.dir, "state"), s.stores, nil
	o.HTTP, o.Secrets = transport, nil
	tools, err := standard.New(o)
	if err == nil {
		s.opened = append(s.opened, tools.Close)
	}
	return tools, err
}

// close closes everything, the registries before the networks that they use.
func (s *stage) close() error {
	var errs []error
	for i := len(s.opened) - 1; i >= 0; i-- {
		errs = append(errs, s.opened[i]())
	}
	return errors.Join(errs...)
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
func (s *stage) world(ctx context.Context, m standard.LoadedManifest, e manifests.Example) (world, error) {
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

// firstFileTime is the time of the files in examples that do not set the clock. It is fixed, so
// that a tool that shows the times of files, or sorts by them, has the same output in every run.
var firstFileTime = time.Date(2022, time.January, 1, 0, 0, 0, 0, time.UTC)

// mounts maps the names of an example's mounts to their directories. An [os.Root] keeps every path
// inside its directory, even if the tool created links.
type mounts map[string]*os.Root

// openMounts creates an empty directory below dir for each mount that a tool asks for.
func openMounts(dir string, p capability.Permissions) (mounts, error) {
	m := make(mounts)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	for _, asked := range p.FS {
		if asked.Mount == capability.ScratchMount {
			continue
		}
		own := filepath.Join(dir, asked.Mount)
		if err := os.Mkdir(own, 0o700); err != nil {
			return nil, errors.Join(err, m.close())
		}
		root, err := os.OpenRoot(own)
		if err != nil {
			return nil, errors.Join(err, m.close())
		}
		m[asked.Mount] = root
	}
	return m, nil
}

func (m mounts) close() error {
	var errs []error
	for _, root := range m {
		errs = append(errs, root.Close(), os.RemoveAll(root.Name()))
	}
	return errors.Join(errs...)
}

// offered returns the directories in the form that a Registry accepts.
func (m mounts) offered() map[string]capability.Mount {
	offered := make(map[string]capability.Mount)
	for name, root := range m {
		offered[name] = capability.Mount{Dir: root.Name(), Mode: capability.ModeWrite}
	}
	return offered
}

// write creates the files, with ascending times: each file is a second older than the next, and the
// last is a second older than now.
func (m mounts) write(files []manifests.ExampleFile, now time.Time) error {
	for i, f := range files {
		root := m[f.Mount]
		if err := root.MkdirAll(path.Dir(f.Path), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(f.Path, []byte(f.Text), 0o600); err != nil {
			return err
		}
		at := now.Add(time.Duration(i-len(files)) * time.Second)
		if err := root.Chtimes(f.Path, at, at); err != nil {
			return err
		}
	}
	return nil
}

// read returns the content of a file. found is false if the file cannot be read.
func (m mounts) read(p manifests.ExamplePath) (text string, found bool) {
	data, err := m[p.Mount].ReadFile(p.Path)
	return string(data), err == nil
}

// exists reports whether the path exists, as a file, a directory or a link.
func (m mounts) exists(p manifests.ExamplePath) bool {
	_, err := m[p.Mount].Lstat(p.Path)
	return !errors.Is(err, fs.ErrNotExist)
}

// fillStore puts the values of an example into the store of its tool.
func fillStore(ctx context.Context, store kv.Store, ns kv.Namespace, values map[string]string, o *Outcome) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := store.Put(ctx, ns, key, []byte(values[key])); err != nil {
			o.fail("store: %s: %s", key, err)
		}
	}
}

// compareStore compares the whole store after the call with the content that the example expects;
// nil expects nothing.
func compareStore(ctx context.Context, store kv.Store, ns kv.Namespace, want map[string]string, o *Outcome) error {
	if want == nil {
		return nil
	}
	got := make(map[string]string)
	for after := ""; ; {
		keys, err := store.List(ctx, ns, "", after, 0)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			break
		}
		for _, key := range keys {
			value, err := store.Get(ctx, ns, key)
			if err != nil {
				return err
			}
			got[key] = string(value)
		}
		after = keys[len(keys)-1]
	}
	if !maps.Equal(want, got) {
		o.fail("store_after (- expected, + got):\n%s", differing(listed(want), listed(got)))
	}
	return nil
}

// listed returns a line for each value.
func listed(values map[string]string) string {
	lines := each.Of(slices.Sorted(maps.Keys(values)), func(key string) string { return fmt.Sprintf("%s = %q", key, values[key]) })
	return strings.Join(lines, "\n")
}
