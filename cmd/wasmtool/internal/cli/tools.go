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
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/mcp"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// toolOptions say where tools come from. Every command that needs tools has them.
type toolOptions struct {
	*app
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

// grantCommand is how the tool of a command line is granted something, but for the
// permissions.
func (o *toolOptions) grantCommand(target string) string {
	words := []string{"wasmtool", "permission", "grant"}
	for _, folder := range o.folders {
		words = append(words, "--tools", shellWord(folder))
	}
	if o.config != "" {
		words = append(words, "--config", shellWord(o.config))
	}
	return strings.Join(append(words, shellWord(target)), " ")
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
func (o toolOptions) open(set toolSet) (*registry.Registry, error) {
	options, err := o.standardOptions(set)
	if err != nil {
		return nil, err
	}
	return standard.New(options)
}

// configFile is where the operator's file is.
func (o toolOptions) configFile() config.File {
	cwd, err := os.Getwd()
	if err != nil {
		cwd = ""
	}
	return config.Find(cwd, o.config, o.getenv)
}

// loadConfig reads the operator's file.
func (o toolOptions) loadConfig() (*config.Config, error) {
	file, err := config.Load(o.configFile(), o.getenv)
	if err != nil {
		return nil, (&tool.Error{Code: tool.CodeUsage, Message: err.Error(), Recoverable: true}).WithCause(err)
	}
	return file, nil
}

func (o toolOptions) standardOptions(set toolSet) (standard.Options, error) {
	operator, err := o.loadConfig()
	if err != nil {
		return standard.Options{}, err
	}
	var servers []string
	if _, inside := o.getenv(mcp.InsideEnv); inside {
		set.servers = nil
	}
	for name := range operator.Servers() {
		if set.servers != nil && set.servers(name) {
			servers = append(servers, name)
		}
	}
	cache := o.cache
	if cache == "" {
		cache, _ = o.getenv(cacheEnv)
	}
	options := standard.Options{
		Config:    operator,
		Workspace: set.workspace,
		Words:     set.words,
		Registry: registry.Options{
			Rules:     registry.Rules{Granted: set.granted, GrantedBy: "the command line", Offer: set.offer},
			Calls:     ledger.Options{OnReceipt: set.onReceipt},
			Logger:    slog.New(warningHandler(func(message string) { o.warn(errors.New(message)) })),
			Approvals: registry.ApprovalOptions{Approver: set.approver},
		},
		Sources: standard.Sources{Folders: o.folders, Servers: servers, OnLoadError: set.onLoadError},
		Host:    standard.Host{Asker: set.asker},
		Runtime: runtime.Options{
			CacheDir:       cache,
			OnCompile:      set.onCompile,
			CompileCommand: o.compiler,
		},
		NoCache: strings.EqualFold(cache, cacheOff),
		Keyring: keyring.New,
	}
	if set.stores != nil {
		options.Registry.Approvals.Store, options.Registry.Approvals.Grants = set.stores.Approvals, set.stores.Grants
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
func (o toolOptions) openTarget(cmd *cobra.Command, set toolSet, target string) (*registry.Registry, string, error) {
	if strings.HasSuffix(target, ".wasm") {
		return nil, "", usage(cmd, oneLine(target)+" is a module; name the folder or the tool.toml of its tool ('wasmtool inspect' shows a module)")
	}
	name := target // until it is known
	if set.onCompile == nil {
		set.onCompile = o.announceCompile(&name)
	}
	if set.onLoadError == nil && !isPath(target) {
		// Another tool that is broken does not keep this one from running.
		set.onLoadError = o.warn
	}
	options, err := o.targetOptions(set, target)
	if err != nil {
		return nil, "", err
	}
	tools, err := standard.New(options)
	if err != nil {
		return nil, "", err
	}
	if name, err = nameOf(target, tools); err != nil {
		return nil, "", errors.Join(err, tools.Close())
	}
	if _, found := tools.Tools().Get(target); !found && !isPath(target) {
		o.hintFolder(target)
	}
	return tools, name, nil
}

// targetOptions are standardOptions with the tool that a command line names: for a path, it is
// the only one.
func (o toolOptions) targetOptions(set toolSet, target string) (standard.Options, error) {
	if !isPath(target) {
		set.servers = serversOf(target)
	}
	options, err := o.standardOptions(set)
	if err == nil && isPath(target) {
		alone(&options)
		options.Sources.Tool = target
	}
	return options, err
}

// nameOf is the name of the tool that a command line names, which is in tools alone if it names
// a path.
func nameOf(target string, tools *registry.Registry) (string, error) {
	if !isPath(target) {
		return target, nil
	}
	infos := tools.Tools().List(catalogue.Filter{Disabled: true}) // calling it tells that it is
	if len(infos) != 1 {
		return "", &tool.Error{Code: tool.CodeInternal, Message: fmt.Sprintf("%d tools were loaded in place of one", len(infos))}
	}
	return infos[0].Name, nil
}

// alone leaves out all tools but those that a path of the command line names.
func alone(o *standard.Options) {
	o.Sources.NoBuiltins, o.Sources.NoDirectories, o.Sources.Folders = true, true, nil
}

// completeTool offers the names of tools to a shell that completes a command line.
func (o *toolOptions) completeTool(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if isPath(begun) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	options, err := o.standardOptions(toolSet{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	options.Sources.OnLoadError, options.Registry.Logger = func(error) {}, nil // a shell has nowhere to show it
	tools, err := standard.New(options)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer tools.Close()
	var names []string
	for _, info := range tools.Tools().List(catalogue.Filter{}) {
		names = append(names, info.Name+"\t"+firstSentence(info.Description))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// isPath tells a path from a tool's name: it has a separator, is "." or "..", or
// names a manifest.
func isPath(target string) bool {
	return target == "." || target == ".." ||
		strings.ContainsRune(target, '/') || strings.ContainsRune(target, filepath.Separator) ||
		strings.HasSuffix(target, ".toml")
}
