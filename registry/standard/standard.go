package standard

import (
	"cmp"
	"context"
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
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/audit"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/mcp"
	"github.com/wasmtool/wasmtool/registry/executor/rest"
	"github.com/wasmtool/wasmtool/registry/executor/wasm"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// New builds a Registry from o. Close it to stop all calls and release its resources. Tools are
// compiled at their first call. The error is a *tool.Error; a tool that does not load has the code
// invalid_manifest or invalid_module.
func New(o Options) (*registry.Registry, error) {
	return assemble(o, nil)
}

// assemble implements New. If directories is not nil, it records there which tools were loaded from
// which directory.
func assemble(o Options, directories *Directories) (*registry.Registry, error) {
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
		loader:  &loader{o: o, watched: directories},
		runtime: runtime.New(o.Runtime),
		secrets: secrets,
		adapted: make(map[string][]mcp.Adapted),
		stores:  kv.NewBolt(filepath.Join(StateDir(o), "kv"), kv.Options{}),
		record:  audit.New(audit.Options(o.config().Audit())),
	}
	if directories != nil {
		directories.build = a.build
	}
	tools := registry.New(a.registryOptions())
	if err := a.fill(tools); err != nil {
		return nil, errors.Join(err, tools.Close())
	}
	return tools, nil
}

// assembly holds what the tools of a Registry share.
type assembly struct {
	o       Options
	loader  *loader
	runtime *runtime.Runtime
	secrets *secret.Store
	stores  *kv.Bolt
	record  *audit.Log
	adapted map[string][]mcp.Adapted // tools with [mcp], by server
}

// registryOptions returns the options for a Registry that has no tools and no rules yet.
func (a *assembly) registryOptions() registry.Options {
	o := a.o.Registry
	o.Rules = registry.Rules{}
	o.Calls.OnReceipt = a.onReceipt()
	o.OnClose = func() error {
		err := errors.Join(a.runtime.Close(), a.stores.Close(), a.record.Close(), closeAll(a.loader.opened))
		if a.o.Registry.OnClose != nil {
			err = errors.Join(err, a.o.Registry.OnClose())
		}
		return err
	}
	return o
}

// onReceipt returns a function that writes receipts to the audit log of the operator's file and
// passes them to the OnReceipt of the Options.
func (a *assembly) onReceipt() func(tool.Receipt) {
	own := a.o.Registry.Calls.OnReceipt
	if a.o.config().Audit().File == "" {
		return own
	}
	return func(r tool.Receipt) {
		if err := a.record.Write(r); err != nil {
			a.o.logger().Error("cannot write a call to the audit log", "call", r.ID, "error", err)
		}
		if own != nil {
			own(r)
		}
	}
}

// fill registers all tools, sets their rules, and logs a warning for each tool that the operator's
// file names and that does not exist.
func (a *assembly) fill(tools *registry.Registry) error {
	a.loader.add = func(m *manifests.Manifest, source string, files manifests.Files) error {
		if m.MCP != nil {
			return a.adapt(m, source)
		}
		executor := a.build(m, source, files)
		if err := tools.Tools().Register(spec(m, source), executor); err != nil {
			return errors.Join(inManifest(source, err), executor.Close())
		}
		return nil
	}
	if err := a.loader.loadAll(); err != nil {
		return err
	}
	for _, add := range []func(*registry.Registry) error{a.addReadResult, a.addHostTools, a.addCode, a.addAgent, a.addServers} {
		if err := add(tools); err != nil {
			return err
		}
	}
	rules, err := Rules(a.o, tools)
	if err != nil {
		return err
	}
	tools.SetRules(rules)
	if a.o.Sources.Tool != "" { // only one tool is loaded, so the file may name others
		return nil
	}
	for _, problem := range PolicyWarnings(a.o.config(), rules) {
		if problem.Unknown != "" {
			a.o.logger().Warn(problem.String())
		}
	}
	return nil
}

// build returns the executor for a manifest. The function read returns the module.
func (a *assembly) build(m *manifests.Manifest, source string, files manifests.Files) tool.Executor {
	if m.REST != nil {
		return rest.New(rest.Options{Manifest: m, HTTP: a.o.HTTP, Secrets: a.secrets})
	}
	options := wasm.Options{
		Runtime: a.runtime, Manifest: m, Read: files.Module, Source: source,
		ReadData: func(context.Context) (map[string][]byte, error) { return files.Data() },
		Files:    a.o.Files, HTTP: a.o.HTTP, Secrets: a.secrets, KV: cmp.Or[kv.Store](a.o.KV, a.stores),
	}
	if m.Module.Runtime != "" {
		useRuntime(a.o, m, source, &options)
	}
	executor := wasm.New(options)
	if m.Describe != nil {
		return wasm.Describing{Executor: executor}
	}
	return executor
}

// secretStore returns the secrets of the operator's file.
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
					": this program has no access to the keyring; use env, file or command, or set Options.Keyring to keyring.New of hostfuncs/secret/keyring"}
			}
			sources[name] = o.Keyring(s.Service, s.User)
		case config.SecretProgram:
			sources[name] = o.Secrets[name]
		}
	}
	return secret.New(sources, secret.Options{TTLs: ttls, OnShort: o.onShort()}), nil
}

// inManifest adds the name of the manifest to an error of registering its tool.
func inManifest(source string, err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		e.Message = source + ": " + e.Message
	}
	return err
}

// checkDirectories reports mounts whose directory does not exist, before any call needs them. Each
// call checks its own mounts again.
func checkDirectories(o Options) error {
	offer := o.grantableFor(tool.Spec{})
	mounts := offer.Mounts
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(mounts)) {
		info, err := os.Stat(mounts[name].Dir)
		if err != nil || !info.IsDir() {
			message := fmt.Sprintf("mount %s: the directory does not exist", name)
			permission, err := capability.NewPermission(capability.Kind(mounts[name].Mode.String()), name)
			if _, replaced := o.Registry.Rules.Grantable.Mounts[name]; err == nil && !replaced && offer.Lines[permission] != "" {
				message = offer.Lines[permission] + ": " + message
			}
			missing = append(missing, message)
		}
	}
	if len(missing) > 0 {
		return &tool.Error{Code: tool.CodePermissionDenied, Message: strings.Join(missing, "\n")}
	}
	return nil
}

func closeAll[C io.Closer](closers []C) error {
	errs := each.Of(closers, func(c C) error { return c.Close() })
	return errors.Join(errs...)
}
