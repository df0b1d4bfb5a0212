package standard

import (
	"cmp"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/hostfuncs/kv"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/hosttools"
	"github.com/wasmtool/wasmtool/registry/executor/mcp"
	"github.com/wasmtool/wasmtool/registry/executor/process"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/runtimes"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// Options configures a Registry. The zero value loads the built-in tools, grants no files and no
// variables, and denies dangerous tools.
type Options struct {
	// Workspace is a host directory that tools may request to read, as the mount "workspace"; empty
	// means none. If the Config binds that mount to a directory, the directory of the Config is
	// used; otherwise the grants of the Config apply to this directory.
	Workspace string
	// Permissions are offered to all tools in addition to what the Config offers, for example by
	// the flags of a server. A permission for a mount or variable that is not bound is left out.
	Permissions []capability.Permission
	// Config is the operator's file; nil means an empty one. A Reloader applies later changes of
	// the file.
	Config *config.Config
	// Policy says which tools are visible and which calls run. The zero value shows every tool and
	// asks about calls that may do more than read. With a Config, the policy of the Config applies,
	// and only the Rules of this field are added to it. A name that matches no tool causes a
	// warning in the log and applies to a tool of that name that is added later.
	Policy policy.Config
	// Sources says where tools come from.
	Sources Sources
	// Host configures the tools that the embedding program implements.
	Host Host
	// Registry configures the Registry. New fills in ceilings that are zero from the Config, and
	// adds to Rules what the Config offers, pins and revokes. Leave Rules.Policy nil: it is built
	// from Config and Policy, and New fails if it is set. Rules.Shell applies only without a
	// Config, and New sets the functions of Rules. The clock and randomness are offered unless
	// Rules.Grantable.Deny has the permissions "clock" and "random". If Calls.MaxText is set, New
	// adds the tool ReadResultTool, which reads the rest of truncated texts, and creates
	// Calls.Results unless it is set.
	Registry registry.Options
	// Runtime configures how modules are compiled and run. An empty CacheDir means the directory
	// "wasmtool/modules" in the user's cache directory; a nil Logger means Registry.Logger. Without
	// a CompileCommand, modules that may take seconds to compile are refused.
	Runtime runtime.Options
	// NoCache disables the cache of compiled modules, even if CacheDir is set.
	NoCache bool
	// Files limits what a call does with files. New adds to Files.Protected the operator's file,
	// the directories of tools, the cache of compiled modules and StateDir.
	Files files.Options
	// Keyring returns the secret of user for service from the keyring of the operating system; pass
	// New of package hostfuncs/secret/keyring. If it is nil, New refuses a Config that names
	// secrets in the keyring.
	Keyring func(service, user string) secret.Source
	// Secrets has values of secrets by name. They replace the values of secrets of the Config with
	// the same names, also after a Reload. Where a secret may be sent, and which tools may use it,
	// does not change.
	Secrets map[string]secret.Source
	// HTTP configures how requests are made, such as trusted certificates and name resolution, and
	// limits them; see hostfuncs.Services. The zero value uses the defaults.
	HTTP egress.Transport
	// StateDir is where the key-value stores of tools are kept; empty means the directory
	// "wasmtool" in the user's state directory.
	StateDir string
	// KV replaces the key-value stores in StateDir. The caller closes it after the Registry.
	KV kv.Store
}

// Sources says where tools come from. The zero value loads the built-in tools and the tools that
// the Config names.
type Sources struct {
	// Directories are directories to load tools from: DIRECTORY/tool.toml and
	// DIRECTORY/*/tool.toml. The tool_directories of the Config come after them; if one of those
	// cannot be read, it is reported as a tool that does not load.
	Directories []string
	// Tool is a single tool to load: its directory or its manifest.
	Tool string
	// Runtimes has the interpreters that tools name; nil means the store in StateDir.
	Runtimes *runtimes.Store
	// Servers are names of MCP servers of the Config. New starts them and loads their tools. A
	// server that does not start is reported as a tool that does not load, and is tried again
	// later. Names that the Config does not have are ignored; nil starts none.
	Servers []string
	// ServersOf are names of tools, or the Tool. New also starts the servers of these tools.
	ServersOf []string
	// StartInBackground makes New return before the Servers have started; their tools are
	// registered when they are ready. A server that does not start is then reported to OnLoadError
	// after New has returned, or to the Logger if OnLoadError is nil.
	StartInBackground bool
	// BuiltinsForCalls loads the built-in tools only if the Tool may call other tools.
	BuiltinsForCalls bool
	// CalledBuiltin is the name of the only built-in tool that the program will call. If that tool
	// calls no other tools, no other built-in tool is loaded, which saves reading their manifests.
	// A name that no built-in tool has, such as an alias, has no effect.
	CalledBuiltin string
	// NoBuiltins leaves out the built-in tools, and NoDirectories the tool_directories of the
	// Config.
	NoBuiltins, NoDirectories bool
	// OnLoadError is called for each tool that does not load; the other tools are still loaded. If
	// it is nil, the first such tool is an error of New. With StartInBackground, it must be safe
	// for concurrent use.
	OnLoadError func(error)
	// Monitor is notified of what happens to the Servers; nil means none.
	Monitor mcp.Monitor
}

// Host configures the tools that the embedding program implements. The zero value has none.
type Host struct {
	// Backends implement tools that cannot run in a sandbox, by tool name; see package hosttools.
	// New refuses an unknown name.
	Backends map[string]hosttools.Backend
	// Asker shows the questions of the tool named question to a person. The tool is left out if
	// Asker is nil or Sources.Tool is set. If Sources.Tool is set, the tool named process is also
	// left out.
	Asker tool.Asker
	// Jobs adds the tool "process", which runs calls of another tool in the background, if that
	// tool is loaded; nil adds none. Jobs end when the Registry is closed. They may use half of the
	// concurrent calls of a tenant unless Jobs.MaxRunning sets another limit.
	Jobs *process.Options
}

// config returns the operator's file, or an empty one if there is none, with the Secrets of o.
func (o *Options) config() *config.Config {
	return cmp.Or(o.Config, &config.Config{}).WithSecrets(slices.Collect(maps.Keys(o.Secrets))...)
}

// logger returns the Logger, or one that discards everything if there is none.
func (o *Options) logger() *slog.Logger {
	return cmp.Or(o.Registry.Logger, slog.New(slog.DiscardHandler))
}

// onShort returns a function that warns about a secret that is too short to be hidden.
func (o *Options) onShort() func(name string) {
	log := o.logger()
	return func(name string) {
		log.Warn("a secret is too short to be hidden in what servers and tools return", "secret", name, "min_bytes", secret.MinScrub)
	}
}

// withDefaults replaces zero fields with their defaults and adds the protected paths.
func (o Options) withDefaults() Options {
	o.applyCeilings(o.config().Ceilings())
	o.Runtime.CacheDir = CacheDir(o)
	o.Runtime.Logger = cmp.Or(o.Runtime.Logger, o.Registry.Logger)
	o.Files.Protected = slices.Concat(o.Files.Protected, o.protected())
	if calls := &o.Registry.Calls; calls.Results == nil && calls.MaxText > 0 {
		calls.Results = results.NewStore(results.Options{})
	}
	return o
}

// applyCeilings sets the limits of o that are zero to the limits of the operator's file.
func (o *Options) applyCeilings(c config.Ceilings) {
	o.Runtime.MaxMemory = cmp.Or(o.Runtime.MaxMemory, c.MaxMemory)
	o.Runtime.MaxFuel = cmp.Or(o.Runtime.MaxFuel, c.MaxFuel)
	o.Runtime.MaxTotalMemory = cmp.Or(o.Runtime.MaxTotalMemory, c.MaxTotalMemory)
	o.Runtime.MaxIdleBytes = cmp.Or(o.Runtime.MaxIdleBytes, c.MaxIdleBytes)
	o.Runtime.MaxCalls = cmp.Or(o.Runtime.MaxCalls, c.MaxCalls)
	o.Runtime.MaxWaiting = cmp.Or(o.Runtime.MaxWaiting, c.MaxWaiting)
	o.Files.MaxOpenFiles = cmp.Or(o.Files.MaxOpenFiles, c.MaxOpenFiles)
	o.HTTP.Limits.Requests = cmp.Or(o.HTTP.Limits.Requests, c.MaxRequests)
	o.Registry.MaxTimeout = cmp.Or(o.Registry.MaxTimeout, c.MaxTimeout)
}

// protected lists the paths that no tool may write to, with any grant: compiled code, which runs
// outside of any sandbox; the manifests of other tools; the operator's file and the files it names;
// and the state kept between calls. After a reload, paths of the new file are protected by its
// Grantable as well: paths of the first file may still be in use.
func (o *Options) protected() []string {
	dirs := slices.Concat(o.Sources.Directories, o.config().Protected(), []string{StateDir(*o)})
	if cache := CacheDir(*o); cache != "" {
		dirs = append(dirs, cache)
	}
	return dirs
}

// StateDir returns the directory for state that outlives a call.
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

// CacheDir returns the directory where New caches compiled modules. It is "" (no cache) with
// NoCache, and if the user has no home directory and Runtime.CacheDir is empty.
func CacheDir(o Options) string {
	user, err := os.UserCacheDir()
	switch {
	case o.NoCache:
		return ""
	case o.Runtime.CacheDir != "" || err != nil:
		return o.Runtime.CacheDir
	}
	return filepath.Join(user, "wasmtool", "modules")
}
