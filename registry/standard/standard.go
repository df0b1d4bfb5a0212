package standard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/hostfuncs/kv"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/audit"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/hosttools"
	"github.com/wasmtool/wasmtool/registry/executor/process"
	"github.com/wasmtool/wasmtool/registry/executor/rest"
	"github.com/wasmtool/wasmtool/registry/executor/wasm"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/ledger/loop"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/schedule"
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
	// Config is the operator's file; nil is an empty one. It is read again by Rules only.
	Config *config.Config
	// Offer is what tools that ask are given besides, and Words are more of it, such as those
	// of a server's flags. The clock and randomness are always offered; see Deterministic.
	Offer capability.Offer
	Words []capability.Word
	// Granted are words that are offered, too, and whose use is not asked about, such as
	// those of flags; GrantedBy says where they are from. See registry.Rules.
	Granted   []capability.Word
	GrantedBy string
	// Deterministic withholds the clock and randomness: a tool that asks for one of
	// them does not run.
	Deterministic bool

	// Folders are folders to load tools from: Folder/tool.toml and
	// Folder/*/tool.toml. Those of tool_directories in the Config come after them; one of
	// these that cannot be read is told as a tool that does not load.
	Folders []string
	// Tool is a single tool to load: its folder, or its manifest.
	Tool string
	// Servers are names of servers of the Config. New starts them, and their tools are
	// loaded, too. A server that cannot be had is told as a tool that does not load, and
	// tried again later. Names that the Config has not are left alone; nil starts none.
	Servers []string
	// NoBuiltins leaves the built-in tools out, and NoDirectories the tool_directories of
	// the Config.
	NoBuiltins, NoDirectories bool
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
	// CompileCommand is what runtime.SelfCompiler returned: it compiles modules in a process
	// of its own. Without it, modules that may take seconds to compile do not load.
	CompileCommand []string

	// Policy says which tools there are and which calls run. The zero value has every tool
	// and asks about calls that may do more than read. With a Config, its policy counts, and
	// of this one the Rules besides. A name that no tool has is a warning for the Logger, and
	// holds for a tool of that name that comes later.
	Policy policy.Config
	// StateDir is where the stores of tools are kept; empty means the folder "wasmtool" in
	// the user's folder for state.
	StateDir string
	// OnReceipt, Observer and OnClose are those of registry.Options: each call's receipt, what
	// watches all calls, such as one of package telemetry, and what Close does in the end.
	OnReceipt func(tool.Receipt)
	Observer  ledger.Observer
	OnClose   func() error
	// HTTP says how requests are made, such as whose certificates are trusted and how names
	// are resolved, and bounds them; see hostfuncs.Services. The zero value means the
	// defaults.
	HTTP egress.Options
	// Approver is asked where the policy says so; nil denies. Approvals remembers its
	// answers; nil keeps them in memory, for their session alone. ApprovalTimeout and
	// LoadTimeout bound the waits for an answer and for a tool to be compiled; see
	// registry.Options.
	Approver                     registry.Approver
	Approvals                    remembered.ApprovalStore
	ApprovalTimeout, LoadTimeout time.Duration
	// Grants are what was granted to single tools as they are, besides; nil is nothing. It
	// stays the caller's.
	Grants remembered.GrantStore
	// MaxTimeout bounds the timeout of a call; 0 means registry.DefaultMaxTimeout.
	MaxTimeout time.Duration
	// MaxTenantCalls, MaxTenantMemory, MaxRetries, MaxRetryDelay, WaitTimeout, MaxEndedCalls, History and
	// Loops are those of registry.Options. Of all tenants, Ceilings.MaxCalls bounds the calls.
	MaxTenantCalls, MaxRetries int
	MaxTenantMemory            uint64
	// TenantBudget and NoDescriptions are those of registry.Options.
	NoDescriptions             bool
	TenantBudget               schedule.Budget
	MaxRetryDelay, WaitTimeout time.Duration
	MaxEndedCalls              int
	History                    history.Options
	Loops                      loop.Options
	// MaxText is that of registry.Options. When it is set, the texts that are cut are kept,
	// and the tool ReadResultTool reads on in them. 0 cuts nothing.
	MaxText int
	// Variables is that of registry.Options.
	Variables func(ctx context.Context, call tool.Call, name string) (value string, known bool)
	// Keyring returns the secret of user for service in the keyring of the operating system:
	// New of package hostfuncs/secret/keyring. Without it, a Config whose secrets are in the
	// keyring is an error of New.
	Keyring func(service, user string) secret.Source
	// Backends do the work of tools that no sandbox can do, by the tools' names; see package
	// hosttools. A name that it does not know is an error of New.
	Backends map[string]hosttools.Backend
	// Asker puts what the tool question asks to a person; nil leaves that tool out, and so
	// does a single Tool, as it does the one of Jobs.
	Asker tool.Asker
	// Jobs adds the tool process, whose jobs are calls of another tool in the background,
	// when that tool is there; nil adds none. Jobs end with the Registry. Of the calls that a
	// tenant may run at once, they take half unless Jobs.MaxRunning says otherwise.
	Jobs *process.Options
	// OnCompile is told before a module is compiled that no cache has; may be nil.
	OnCompile func(runtime.CompileEvent)
	// Logger gets what an operator should know; nil means silence.
	Logger *slog.Logger
}

// Ceilings are the operator's bounds on calls. The fields are those of runtime.Options
// and files.Options with the same names, and a zero field means their defaults.
type Ceilings struct {
	// MaxMemory and MaxFuel are what one call may use, in bytes and units of fuel.
	MaxMemory, MaxFuel uint64
	// MaxOpenFiles is how many files one call may have open, and MaxRequests how many HTTP
	// requests it may send, whatever Options.HTTP says.
	MaxOpenFiles, MaxRequests int
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
	return assemble(o, nil)
}

// assemble is New; folders, unless nil, notes what was loaded from where.
func assemble(o Options, folders *Folders) (*registry.Registry, error) {
	o = o.withCeilings()
	if err := checkDirectories(o); err != nil {
		return nil, err
	}
	secrets, err := secretStore(o)
	if err != nil {
		return nil, err
	}
	rt := runtime.New(runtime.Options{
		CacheDir: CacheDir(o), CacheMaxBytes: o.CacheMaxBytes, OnCompile: o.OnCompile, Logger: o.Logger,
		CompileCommand: o.CompileCommand,
		MaxMemory:      o.Ceilings.MaxMemory, MaxFuel: o.Ceilings.MaxFuel, MaxTotalMemory: o.Ceilings.MaxTotalMemory,
		MaxIdleBytes: o.Ceilings.MaxIdleBytes, MaxCalls: o.Ceilings.MaxCalls, MaxWaiting: o.Ceilings.MaxWaiting,
	})
	l := &loader{onError: o.OnLoadError, watched: folders}
	record := audit.New(audit.Options{File: o.config().Audit().File, MaxBytes: o.config().Audit().MaxSize, Keep: o.config().Audit().Keep})
	stores := kv.NewLazy(filepath.Join(StateDir(o), "kv"), kv.Options{})
	var kept *results.Store
	if o.MaxText > 0 {
		kept = results.NewStore(results.Options{})
	}
	tools := registry.New(registry.Options{
		Approvals: registry.ApprovalOptions{
			Approver: o.Approver, Store: o.Approvals, Grants: o.Grants, Timeout: o.ApprovalTimeout,
		},
		Schedule: schedule.Options{
			MaxTenantCalls: o.MaxTenantCalls, WaitTimeout: o.WaitTimeout,
			MaxTenantMemory: o.MaxTenantMemory, Budget: o.TenantBudget,
		},
		Calls: ledger.Options{
			MaxEnded: o.MaxEndedCalls, History: o.History, Loops: o.Loops,
			OnReceipt: onReceipt(o, record), Observer: o.Observer,
			MaxText: o.MaxText, Results: kept,
		},
		Retries:    registry.RetryOptions{Max: o.MaxRetries, MaxDelay: o.MaxRetryDelay},
		Tools:      catalogue.Options{LoadTimeout: o.LoadTimeout, NoDescriptions: o.NoDescriptions},
		MaxTimeout: o.MaxTimeout,
		Variables:  o.Variables,
		Logger:     o.Logger,
		OnClose: func() error {
			err := errors.Join(rt.Close(), stores.Close(), record.Close(), closeAll(l.folders))
			if o.OnClose != nil {
				err = errors.Join(err, o.OnClose())
			}
			return err
		},
	})
	build := func(m *manifests.Manifest, source string, read func() ([]byte, error)) tool.Executor {
		if m.REST != nil {
			return rest.New(rest.Options{Manifest: m, HTTP: o.HTTP, Secrets: secrets})
		}
		executor := wasm.New(wasm.Options{
			Runtime: rt, Manifest: m, Read: read, Source: source,
			Files:   files.Options{Protected: protected(o), MaxOpenFiles: o.Ceilings.MaxOpenFiles},
			HTTP:    o.HTTP,
			Secrets: secrets, KV: stores,
		})
		if m.Describe != nil {
			return wasm.Describing{Executor: executor}
		}
		return executor
	}
	if folders != nil {
		folders.build = build
	}
	l.add = func(m *manifests.Manifest, source string, read func() ([]byte, error)) error {
		executor := build(m, source, read)
		if err := tools.Tools().Register(spec(m, source), executor); err != nil {
			return errors.Join(inManifest(source, err), executor.Close())
		}
		return nil
	}
	if err := l.loadAll(o); err != nil {
		return nil, errors.Join(err, tools.Close())
	}
	if kept != nil {
		if err := addReadResult(tools, kept, o.MaxText); err != nil {
			return nil, errors.Join(err, tools.Close())
		}
	}
	if err := addHostTools(o, tools); err != nil {
		return nil, errors.Join(err, tools.Close())
	}
	if err := addServers(o, tools, secrets); err != nil {
		return nil, errors.Join(err, tools.Close())
	}
	rules, err := Rules(o, tools)
	if err != nil {
		return nil, errors.Join(err, tools.Close())
	}
	tools.SetRules(rules)
	o.warnOfUnknown(rules.Policy)
	return tools, nil
}

// warnOfUnknown tells of tools that the operator's file names and that are not there. Of
// other tools than a single one nothing is known.
func (o Options) warnOfUnknown(p *policy.Policy) {
	if o.Tool != "" {
		return
	}
	for _, problem := range p.Warnings() {
		if problem.Unknown != "" {
			o.logger().Warn(problem.String())
		}
	}
}

// logger is the Logger; one that is silent for none.
func (o Options) logger() *slog.Logger { return cmp.Or(o.Logger, slog.New(slog.DiscardHandler)) }

// withCeilings fills in the limits of the operator's file where Options have none.
func (o Options) withCeilings() Options {
	file, c := o.config().Ceilings(), &o.Ceilings
	c.MaxMemory, c.MaxFuel = cmp.Or(c.MaxMemory, file.Memory), cmp.Or(c.MaxFuel, file.Fuel)
	c.MaxOpenFiles, c.MaxRequests = cmp.Or(c.MaxOpenFiles, file.OpenFiles), cmp.Or(c.MaxRequests, file.HTTPRequests)
	c.MaxTotalMemory, c.MaxIdleBytes = cmp.Or(c.MaxTotalMemory, file.TotalMemory), cmp.Or(c.MaxIdleBytes, file.IdleMemory)
	c.MaxCalls, c.MaxWaiting = cmp.Or(c.MaxCalls, file.Calls), cmp.Or(c.MaxWaiting, file.Waiting)
	o.MaxTimeout = cmp.Or(o.MaxTimeout, file.Timeout)
	o.HTTP.Limits.Requests = c.MaxRequests
	return o
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

// onReceipt hands receipts to the record of the operator's file and to whoever Options name.
func onReceipt(o Options, record *audit.Log) func(tool.Receipt) {
	if o.config().Audit().File == "" {
		return o.OnReceipt
	}
	return func(r tool.Receipt) {
		if err := record.Write(r); err != nil {
			o.logger().Error("a call is missing in the record of calls", "call", r.ID, "error", err)
		}
		if o.OnReceipt != nil {
			o.OnReceipt(r)
		}
	}
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
			word, err := capability.ParseWord(mounts[name].Mode.String() + ":" + name)
			if _, replaced := o.Offer.Mounts[name]; err == nil && !replaced && offer.Lines[word] != "" {
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

// protected lists what no tool may write to, whatever it is granted: compiled code,
// which runs outside of any sandbox, the manifests of other tools, the operator's file and
// what it names, and what is kept between calls. What the file names when it is read again
// is in the offers besides: what it named first may still be in use.
func protected(o Options) []string {
	dirs := slices.Concat(o.Folders, o.config().Protected(), []string{StateDir(o)})
	if cache := CacheDir(o); cache != "" {
		dirs = append(dirs, cache)
	}
	return dirs
}

// StateDir returns the folder where what lasts between calls is kept.
func StateDir(o Options) string {
	if o.StateDir != "" {
		return o.StateDir
	}
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "wasmtool")
	}
	if home, err := os.UserHomeDir(); err == nil && goruntime.GOOS != "windows" {
		return filepath.Join(home, ".local", "state", "wasmtool")
	}
	if user, err := os.UserConfigDir(); err == nil {
		return filepath.Join(user, "wasmtool", "state")
	}
	return filepath.Join(os.TempDir(), "wasmtool-state")
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
