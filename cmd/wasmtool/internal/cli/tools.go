package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/secret/keyring"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/mcp"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// toolOptions say where tools come from. Every command that needs tools has them.
type toolOptions struct {
	folders []string
	cache   string
	config  string
}

func (o *toolOptions) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.folders, "tools", nil, "load the tools in `DIR` too: DIR/tool.toml and DIR/*/tool.toml (repeatable)")
	cmd.Flags().StringVar(&o.config, "config", "", "the operator's `FILE` of grants, secrets, limits and policy (default: $WASMTOOL_CONFIG, else wasmtool/wasmtool.toml in the user's configuration folder)")
	o.addCache(cmd)
}

func (o *toolOptions) addCache(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.cache, "cache", "", "keep compiled modules in `DIR`; \"off\" for nowhere (default: $WASMTOOL_CACHE, else the user's cache folder)")
}

// cacheOff turns the compile cache off.
const cacheOff = "off"

// cacheEnv names the folder for compiled modules.
const cacheEnv = "WASMTOOL_CACHE"

// toolSet is what a registry needs besides the tools.
type toolSet struct {
	// workspace is the directory that is offered for reading without a word; empty for none.
	workspace string
	offer     capability.Offer
	// words widen the offer, and granted are words that are not asked about.
	words    []capability.Word
	granted  []capability.Word
	approver registry.Approver
	asker    tool.Asker
	stores   *remembered.Files // nil for none
	// servers says which servers of the operator's file are started for their tools; nil
	// starts none.
	servers   func(name string) bool
	onReceipt func(tool.Receipt)
	onCompile func(runtime.CompileEvent)
	// onLoadError hears of a tool that does not load while the others do; nil makes
	// it an error for the whole.
	onLoadError func(error)
}

// open returns a registry with the built-in tools and those of --tools.
func (a *app) open(o toolOptions, set toolSet) (*registry.Registry, error) {
	options, err := a.standardOptions(o, set)
	if err != nil {
		return nil, err
	}
	return standard.New(options)
}

// configFile is where the operator's file is.
func (a *app) configFile(o toolOptions) config.File {
	cwd, err := os.Getwd()
	if err != nil {
		cwd = ""
	}
	return config.Find(cwd, o.config, a.getenv)
}

// loadConfig reads the operator's file.
func (a *app) loadConfig(o toolOptions) (*config.Config, error) {
	file, err := config.Load(a.configFile(o), a.getenv)
	if err != nil {
		return nil, (&tool.Error{Code: tool.CodeUsage, Message: err.Error(), Recoverable: true}).WithCause(err)
	}
	return file, nil
}

func (a *app) standardOptions(o toolOptions, set toolSet) (standard.Options, error) {
	operator, err := a.loadConfig(o)
	if err != nil {
		return standard.Options{}, err
	}
	var servers []string
	if _, inside := a.getenv(mcp.InsideEnv); inside {
		set.servers = nil
	}
	for name := range operator.Servers() {
		if set.servers != nil && set.servers(name) {
			servers = append(servers, name)
		}
	}
	cache := o.cache
	if cache == "" {
		cache, _ = a.getenv(cacheEnv)
	}
	options := standard.Options{
		Config: operator, Workspace: set.workspace, Words: set.words, Granted: set.granted, GrantedBy: "the command line",
		OnReceipt: set.onReceipt,
		Logger:    slog.New(warningHandler(func(message string) { a.warn(errors.New(message)) })),
		Folders:   o.folders, Offer: set.offer, Approver: set.approver, Asker: set.asker, Servers: servers,
		CacheDir: cache, NoCache: strings.EqualFold(cache, cacheOff),
		OnCompile: set.onCompile, OnLoadError: set.onLoadError,
		CompileCommand: a.compiler, Keyring: keyring.New,
	}
	if set.stores != nil {
		options.Approvals, options.Grants = set.stores.Approvals, set.stores.Grants
	}
	return options, nil
}

// everyServer starts all servers: all tools are wanted.
func everyServer(string) bool { return true }

// serversOf starts the servers of the tools of these names. A tool of another kind starts
// none.
func serversOf(tools ...string) func(string) bool {
	return func(server string) bool {
		return slices.ContainsFunc(tools, func(name string) bool { return mcp.ServerOf(name) == server })
	}
}

// openTarget returns a registry that holds the tool which a command line names, and
// the tool's name there.
func (a *app) openTarget(cmd *cobra.Command, o toolOptions, set toolSet, target string) (*registry.Registry, string, error) {
	if strings.HasSuffix(target, ".wasm") {
		return nil, "", usage(cmd, oneLine(target)+" is a module; name the folder or the tool.toml of its tool ('wasmtool inspect' shows a module)")
	}
	name := target // until it is known
	if set.onCompile == nil {
		set.onCompile = a.announceCompile(&name)
	}
	if !isPath(target) {
		set.servers = serversOf(target)
		if set.onLoadError == nil {
			// Another tool that is broken does not keep this one from running.
			set.onLoadError = a.warn
		}
		tools, err := a.open(o, set)
		if err != nil {
			return nil, "", err
		}
		if _, found := tools.Get(target); !found {
			a.hintFolder(target)
		}
		return tools, target, nil
	}
	options, err := a.standardOptions(o, set)
	if err != nil {
		return nil, "", err
	}
	alone(&options)
	options.Tool = target
	tools, err := standard.New(options)
	if err != nil {
		return nil, "", err
	}
	specs := tools.List(registry.Filter{Disabled: true}) // calling it tells that it is
	if len(specs) != 1 {
		return nil, "", errors.Join(&tool.Error{Code: tool.CodeInternal, Message: fmt.Sprintf("%d tools were loaded in place of one", len(specs))}, tools.Close())
	}
	name = specs[0].Name
	return tools, name, nil
}

// alone leaves out all tools but those that a path of the command line names.
func alone(o *standard.Options) { o.NoBuiltins, o.NoDirectories, o.Folders = true, true, nil }

// hintFolder tells who wrote the name of a folder how to write it, when no tool has the name.
func (a *app) hintFolder(target string) {
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		fmt.Fprintf(a.Err, "wasmtool: for the tool in the folder %s, write ./%s\n", quote(target), oneLine(target))
	}
}

// completeTool offers the names of tools to a shell that completes a command line.
func (a *app) completeTool(o *toolOptions) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if isPath(begun) {
			return nil, cobra.ShellCompDirectiveDefault
		}
		options, err := a.standardOptions(*o, toolSet{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		options.OnLoadError, options.Logger = func(error) {}, nil // a shell has nowhere to show it
		tools, err := standard.New(options)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		defer tools.Close()
		var names []string
		for _, info := range tools.List(registry.Filter{}) {
			names = append(names, info.Name+"\t"+firstSentence(info.Description))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// isPath tells a path from a tool's name: it has a separator, is "." or "..", or
// names a manifest.
func isPath(target string) bool {
	return target == "." || target == ".." ||
		strings.ContainsRune(target, '/') || strings.ContainsRune(target, filepath.Separator) ||
		strings.HasSuffix(target, ".toml")
}

// warn says what is wrong without ending the command.
func (a *app) warn(err error) {
	fmt.Fprintf(a.Err, "wasmtool: warning: %s\n", indent(printable(err.Error())))
}

// announceCompile says on a terminal that a module is compiled, which takes a
// moment the first time.
func (a *app) announceCompile(name *string) func(runtime.CompileEvent) {
	if !isTerminal(a.Err) {
		return nil
	}
	return func(e runtime.CompileEvent) {
		fmt.Fprintf(a.Err, "wasmtool: compiling %s (%s), the first time only ...\n", oneLine(*name), byteCount(uint64(e.Bytes)))
	}
}
