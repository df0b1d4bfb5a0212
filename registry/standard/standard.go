package standard

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/kv"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/audit"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/rest"
	"github.com/wasmtool/wasmtool/registry/executor/wasm"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// New returns a Registry as o says. Close it to stop all calls and free what it
// holds. Tools are compiled at their first call, not here. The error is an *Error
// of package tool, with the code invalid_manifest or invalid_module for a tool that
// does not load.
func New(o Options) (*registry.Registry, error) {
	return assemble(o, nil)
}

// assemble is New; folders, unless nil, notes what was loaded from where.
func assemble(o Options, folders *Directories) (*registry.Registry, error) {
	if err := checkDirectories(o); err != nil {
		return nil, err
	}
	secrets, err := secretStore(o)
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	a := &assembly{
		o:       o,
		loader:  &loader{o: o, watched: folders},
		runtime: runtime.New(o.Runtime),
		secrets: secrets,
		stores:  kv.NewBolt(filepath.Join(StateDir(o), "kv"), kv.Options{}),
		record:  audit.New(audit.Options(o.config().Audit())),
	}
	if folders != nil {
		folders.build = a.build
	}
	tools := registry.New(a.registryOptions())
	if err := a.fill(tools); err != nil {
		return nil, errors.Join(err, tools.Close())
	}
	return tools, nil
}

// assembly is what the tools of a Registry share.
type assembly struct {
	o       Options
	loader  *loader
	runtime *runtime.Runtime
	secrets *secret.Store
	stores  *kv.Bolt
	record  *audit.Log
}

// registryOptions are those of o for a Registry that has no tools and no rules yet.
func (a *assembly) registryOptions() registry.Options {
	o := a.o.Registry
	o.Rules = registry.Rules{}
	o.Calls.OnReceipt = a.onReceipt()
	o.OnClose = func() error {
		err := errors.Join(a.runtime.Close(), a.stores.Close(), a.record.Close(), closeAll(a.loader.folders))
		if a.o.Registry.OnClose != nil {
			err = errors.Join(err, a.o.Registry.OnClose())
		}
		return err
	}
	return o
}

// onReceipt hands receipts to the record of the operator's file and to whoever Options name.
func (a *assembly) onReceipt() func(tool.Receipt) {
	own := a.o.Registry.Calls.OnReceipt
	if a.o.config().Audit().File == "" {
		return own
	}
	return func(r tool.Receipt) {
		if err := a.record.Write(r); err != nil {
			a.o.logger().Error("a call is missing in the record of calls", "call", r.ID, "error", err)
		}
		if own != nil {
			own(r)
		}
	}
}

// fill registers all tools, sets the rules for them and tells of tools that the operator's file names
// and that are not there.
func (a *assembly) fill(tools *registry.Registry) error {
	a.loader.add = func(m *manifests.Manifest, source string, read func() ([]byte, error)) error {
		executor := a.build(m, source, read)
		if err := tools.Tools().Register(spec(m, source), executor); err != nil {
			return errors.Join(inManifest(source, err), executor.Close())
		}
		return nil
	}
	if err := a.loader.loadAll(); err != nil {
		return err
	}
	for _, add := range []func(*registry.Registry) error{a.addReadResult, a.addHostTools, a.addServers} {
		if err := add(tools); err != nil {
			return err
		}
	}
	rules, err := Rules(a.o, tools)
	if err != nil {
		return err
	}
	tools.SetRules(rules)
	if a.o.Sources.Tool != "" { // of other tools nothing is known
		return nil
	}
	for _, problem := range rules.Policy.Warnings() {
		if problem.Unknown != "" {
			a.o.logger().Warn(problem.String())
		}
	}
	return nil
}

// build makes the executor of a manifest. read returns the module.
func (a *assembly) build(m *manifests.Manifest, source string, read func() ([]byte, error)) tool.Executor {
	if m.REST != nil {
		return rest.New(rest.Options{Manifest: m, HTTP: a.o.HTTP, Secrets: a.secrets})
	}
	executor := wasm.New(wasm.Options{
		Runtime: a.runtime, Manifest: m, Read: read, Source: source,
		Files: a.o.Files, HTTP: a.o.HTTP, Secrets: a.secrets, KV: a.stores,
	})
	if m.Describe != nil {
		return wasm.Describing{Executor: executor}
	}
	return executor
}

// secretStore has the secrets of the operator's file.
func secretStore(o Options) (*secret.Store, error) {
	sources, ttls := make(map[string]secret.Source), make(map[string]time.Duration)
	found := o.config().SecretSources()
	for _, name := range slices.Sorted(maps.Keys(found)) {
		s := found[name]
		ttls[name] = s.TTL
		switch s.Kind {
		case config.SecretEnv:
			sources[name] = secret.FromEnv(s.Env, o.config().LookupEnv)
		case config.SecretFile:
			sources[name] = secret.FromFile(s.File)
		case config.SecretCommand:
			sources[name] = secret.FromCommand(s.Command)
		case config.SecretKeyring:
			if o.Keyring == nil {
				return nil, &tool.Error{Code: tool.CodeUsage, Message: s.Source + ": secrets." + name +
					": this program reads no keyring; use env, file or command, or set the option Keyring to New of hostfuncs/secret/keyring"}
			}
			sources[name] = o.Keyring(s.Service, s.User)
		}
	}
	return secret.New(sources, secret.Options{TTLs: ttls}), nil
}

// inManifest names the manifest in an error of registering its tool.
func inManifest(source string, err error) error {
	var e *tool.Error
	if errors.As(err, &e) {
		e.Message = source + ": " + e.Message
	}
	return err
}

// checkDirectories finds out early what is no directory. What a call may reach is
// looked at again when it begins.
func checkDirectories(o Options) error {
	offer := o.offerTo(tool.Spec{})
	mounts := offer.Mounts
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(mounts)) {
		info, err := os.Stat(mounts[name].Dir)
		if err != nil || !info.IsDir() {
			message := fmt.Sprintf("mount %s: there is no such directory", name)
			word, err := capability.NewPermission(capability.Kind(mounts[name].Mode.String()), name)
			if _, replaced := o.Registry.Rules.Grantable.Mounts[name]; err == nil && !replaced && offer.Lines[word] != "" {
				message = offer.Lines[word] + ": " + message
			}
			faults = append(faults, message)
		}
	}
	if len(faults) > 0 {
		return &tool.Error{Code: tool.CodePermissionDenied, Message: strings.Join(faults, "\n")}
	}
	return nil
}

func closeAll[C io.Closer](closers []C) error {
	var errs []error
	for _, c := range closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
