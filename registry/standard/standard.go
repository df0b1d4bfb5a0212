package standard

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/wasm"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/approvals"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// WorkspaceMount is the mount that file tools ask for.
const WorkspaceMount = "workspace"

// Options says what a Registry holds and gives. The zero value has the built-in
// tools, grants no files and no variables, and denies dangerous tools.
type Options struct {
	// Workspace is a directory of the host that is offered, read-only, as the mount
	// "workspace"; empty means none. It is a short form of Offer.Mounts.
	Workspace string
	// Offer is what tools that ask are given besides. The clock and randomness are
	// always offered; see Deterministic.
	Offer capability.Offer
	// Deterministic withholds the clock and randomness: a tool that asks for one of
	// them does not run.
	Deterministic bool

	// Folders are folders to load tools from: Folder/tool.toml and
	// Folder/*/tool.toml.
	Folders []string
	// Tool is a single tool to load: its folder, or its manifest.
	Tool string
	// NoBuiltins leaves the built-in tools out.
	NoBuiltins bool
	// OnLoadError is called for each tool that does not load, and the others are
	// loaded; nil makes the first such tool an error of New.
	OnLoadError func(error)

	// CacheDir is where compiled modules are kept; empty means the folder
	// "wasmtool/modules" in the user's cache folder. See runtime.Options.
	CacheDir string
	// CacheMaxBytes bounds what is kept there; 0 means runtime.DefaultCacheMaxBytes.
	CacheMaxBytes int64
	// NoCache keeps compiled modules nowhere.
	NoCache bool

	// Ceilings bound what calls use, over what manifests ask for.
	Ceilings Ceilings
	// CompileCommand compiles modules in a process of its own; see runtime.Options.
	CompileCommand []string

	// Policy says which tools there are and which calls run. The zero value has every tool
	// and asks about calls that may do more than read.
	Policy policy.Config
	// Approver is asked where the policy says so; nil denies. Approvals remembers its
	// answers; nil means that each is for one call.
	Approver  registry.Approver
	Approvals approvals.Store
	// MaxTimeout bounds the timeout of a call; 0 means registry.DefaultMaxTimeout.
	MaxTimeout time.Duration
	// OnCompile is told before a module is compiled that no cache has; may be nil.
	OnCompile func(runtime.CompileEvent)
	// Logger gets what an operator should know; nil means silence.
	Logger *slog.Logger
}

// Ceilings are the operator's bounds on calls. The fields are those of runtime.Options
// and hostfuncs.Options with the same names, and a zero field means their defaults.
type Ceilings struct {
	// MaxMemory and MaxFuel are what one call may use, in bytes and units of fuel.
	MaxMemory, MaxFuel uint64
	// MaxOpenFiles is how many files one call may have open.
	MaxOpenFiles int
	// MaxTotalMemory is what all guests may have together, and MaxIdleBytes what
	// instances may take that wait for calls, in bytes.
	MaxTotalMemory uint64
	MaxIdleBytes   int64
	// MaxCalls and MaxWaiting bound the calls that run and wait.
	MaxCalls, MaxWaiting int
}

// New returns a Registry as o says. Close it to stop all calls and free what it
// holds. Tools are compiled at their first call, not here. The error is an *Error
// of package tool, with the code invalid_manifest or invalid_module for a tool that
// does not load.
func New(o Options) (*registry.Registry, error) {
	if err := checkDirectories(o); err != nil {
		return nil, err
	}
	rt := runtime.New(runtime.Options{
		CacheDir: CacheDir(o), CacheMaxBytes: o.CacheMaxBytes, OnCompile: o.OnCompile, Logger: o.Logger,
		CompileCommand: o.CompileCommand,
		MaxMemory:      o.Ceilings.MaxMemory, MaxFuel: o.Ceilings.MaxFuel, MaxTotalMemory: o.Ceilings.MaxTotalMemory,
		MaxIdleBytes: o.Ceilings.MaxIdleBytes, MaxCalls: o.Ceilings.MaxCalls, MaxWaiting: o.Ceilings.MaxWaiting,
	})
	l := &loader{onError: o.OnLoadError}
	tools := registry.New(registry.Options{
		Approver:   o.Approver,
		Approvals:  o.Approvals,
		MaxTimeout: o.MaxTimeout,
		Logger:     o.Logger,
		OnClose:    func() error { return errors.Join(rt.Close(), closeAll(l.folders)) },
	})
	l.add = func(m *manifests.Manifest, source string, read func() ([]byte, error)) error {
		executor := wasm.New(wasm.Options{
			Runtime: rt, Manifest: m, Read: read, Source: source,
			Files: hostfuncs.Options{Protected: protected(o), MaxOpenFiles: o.Ceilings.MaxOpenFiles},
		})
		if err := tools.Register(spec(m, source), executor); err != nil {
			return errors.Join(inManifest(source, err), executor.Close())
		}
		return nil
	}
	if err := l.loadAll(o); err != nil {
		return nil, errors.Join(err, tools.Close())
	}
	rules, err := rules(o, tools)
	if err != nil {
		return nil, errors.Join(err, tools.Close())
	}
	tools.SetRules(rules)
	return tools, nil
}

// rules are what o says about the tools that there are.
func rules(o Options, tools *registry.Registry) (registry.Rules, error) {
	var known policy.Known
	for _, info := range tools.List(registry.Filter{Disabled: true}) {
		known.Tools = append(known.Tools, policy.ToolFacts{Name: info.Name, Aliases: info.Aliases, Dangerous: info.Dangerous})
	}
	compiled, err := policy.Compile(o.Policy, known)
	if err != nil {
		return registry.Rules{}, (&tool.Error{Code: tool.CodeUsage, Message: "the policy cannot be used: " + err.Error()}).WithCause(err)
	}
	return registry.Rules{Offer: offer(o), Policy: compiled}, nil
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
	mounts := offer(o).Mounts
	for _, name := range slices.Sorted(maps.Keys(mounts)) {
		info, err := os.Stat(mounts[name].Dir)
		if err != nil || !info.IsDir() {
			return &tool.Error{Code: tool.CodePermissionDenied, Message: fmt.Sprintf("mount %s: there is no such directory", name)}
		}
	}
	return nil
}

// offer joins the parts of Options that say what is given.
func offer(o Options) capability.Offer {
	given := o.Offer.Clone()
	given.Clock, given.Random = !o.Deterministic, !o.Deterministic
	if o.Workspace == "" {
		return given
	}
	if given.Mounts == nil {
		given.Mounts = make(map[string]capability.Mount)
	}
	given.Mounts[WorkspaceMount] = capability.Mount{Dir: o.Workspace, Mode: capability.ModeRead}
	return given
}

// protected lists what no tool may write to, whatever it is granted: compiled code,
// which runs outside of any sandbox, and the manifests of other tools.
func protected(o Options) []string {
	dirs := slices.Clone(o.Folders)
	if cache := CacheDir(o); cache != "" {
		dirs = append(dirs, cache)
	}
	return dirs
}

// CacheDir returns the folder where New keeps compiled modules, or "" for nowhere.
func CacheDir(o Options) string {
	if o.NoCache {
		return ""
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return o.CacheDir // no home: compile each time unless told otherwise
	}
	return cmp.Or(o.CacheDir, filepath.Join(user, "wasmtool", "modules"))
}

func closeAll[C io.Closer](closers []C) error {
	var errs []error
	for _, c := range closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
