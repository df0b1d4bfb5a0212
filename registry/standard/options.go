package standard

import (
	"cmp"
	"log/slog"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/hosttools"
	"github.com/wasmtool/wasmtool/registry/executor/process"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// Options says what a Registry holds and gives. The zero value has the built-in
// tools, grants no files and no variables, and denies dangerous tools.
type Options struct {
	// Workspace is a directory of the host, offered for reading as the mount "workspace";
	// empty means none. A Config that binds this mount to a directory wins, and its grants
	// apply to this one otherwise.
	Workspace string
	// Words are offered to all tools besides, such as those of a server's flags. One for a
	// mount or variable that nobody binds is left out.
	Permissions []capability.Permission
	// Config is the operator's file; nil means an empty one. A Reloader applies a file that
	// changed.
	Config *config.Config
	// Policy says which tools there are and which calls run. The zero value has every tool
	// and asks about calls that may do more than read. With a Config, its policy counts, and
	// only the Rules of this one besides. A name that no tool has is a warning for the Logger,
	// and holds for a tool of that name that comes later.
	Policy policy.Config
	// Sources says where tools come from.
	Sources Sources
	// Host has the tools whose work the program does.
	Host Host
	// Registry configures the Registry. New fills in the ceilings of the Config where it has
	// zeros, and adds to its Rules what the Config offers, pins and revokes. Leave Rules.Policy
	// nil, or New fails: Config and Policy say it. Rules.Shell applies without a Config only,
	// and New sets the functions of the Rules. The clock and randomness are offered unless
	// Rules.Grantable.Deny has the words "clock" and "random". When Calls.MaxText is set, New adds
	// the tool ReadResultTool, which reads on in texts that were cut, and a store for them
	// unless there is one in Calls.Results.
	Registry registry.Options
	// Runtime configures how modules are compiled and run. An empty CacheDir means the folder
	// "wasmtool/modules" in the user's cache folder, and a nil Logger that of Registry. Without
	// a CompileCommand, modules that may take seconds to compile do not load.
	Runtime runtime.Options
	// NoCache keeps compiled modules nowhere, whatever the CacheDir.
	NoCache bool
	// Files bounds what a call does with files. New adds to its Protected the Config, the
	// folders of tools, the cache of compiled modules and the StateDir.
	Files files.Options
	// Keyring returns the secret of user for service in the keyring of the operating system:
	// New of package hostfuncs/secret/keyring. Without it, a Config whose secrets are in the
	// keyring is an error of New.
	Keyring func(service, user string) secret.Source
	// HTTP says how requests are made, such as whose certificates are trusted and how names
	// are resolved, and bounds them; see hostfuncs.Services. The zero value means the
	// defaults.
	HTTP egress.Transport
	// StateDir is where the stores of tools are kept; empty means the folder "wasmtool" in
	// the user's folder for state.
	StateDir string
}

// Sources says where tools come from. The zero value has the built-in ones and those of the
// Config.
type Sources struct {
	// Folders are folders to load tools from: Folder/tool.toml and
	// Folder/*/tool.toml. Those of tool_directories in the Config come after them; one of
	// these that cannot be read is told as a tool that does not load.
	Directories []string
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
}

// Host has the tools whose work the program does. The zero value has none.
type Host struct {
	// Backends do the work of tools that no sandbox can do, by the tools' names; see package
	// hosttools. A name that it does not know is an error of New.
	Backends map[string]hosttools.Backend
	// Asker puts what the tool question asks to a person; nil leaves that tool out, and so
	// does a single Sources.Tool, as it does the one of Jobs.
	Asker tool.Asker
	// Jobs adds the tool process, whose jobs are calls of another tool in the background,
	// when that tool is there; nil adds none. Jobs end with the Registry. Of the calls that a
	// tenant may run at once, they take half unless Jobs.MaxRunning says otherwise.
	Jobs *process.Options
}

// config is the operator's file, an empty one for none.
func (o *Options) config() *config.Config {
	if o.Config == nil {
		return &config.Config{}
	}
	return o.Config
}

// logger is the Logger; one that is silent for none.
func (o *Options) logger() *slog.Logger {
	return cmp.Or(o.Registry.Logger, slog.New(slog.DiscardHandler))
}

// withDefaults fills in what New makes of fields that are zero, and the paths that are
// protected.
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

// applyCeilings sets the bounds of the operator's file where o has none of its own.
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

// protected lists what no tool may write to, whatever it is granted: compiled code,
// which runs outside of any sandbox, the manifests of other tools, the operator's file and
// what it names, and what is kept between calls. What the file names when it is read again
// is in the offers besides: what it named first may still be in use.
func (o *Options) protected() []string {
	dirs := slices.Concat(o.Sources.Directories, o.config().Protected(), []string{StateDir(*o)})
	if cache := CacheDir(*o); cache != "" {
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

// CacheDir returns the folder where New keeps compiled modules, or "" for nowhere: with
// NoCache, and where the user has no home and Runtime.CacheDir names no folder.
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
