package cli

import (
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/hostfuncs/secret/keyring"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/mcp"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
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

// standardOptions adds what the flags and the operator's file say to the options of a registry.
// No server is started.
func (o toolOptions) standardOptions(options standard.Options) (standard.Options, error) {
	operator, err := o.loadConfig()
	if err != nil {
		return standard.Options{}, err
	}
	cache := o.cache
	if cache == "" {
		cache, _ = o.getenv(cacheEnv)
	}
	options.Config = operator
	options.Registry.Rules.GrantedBy = "the command line"
	options.Registry.Logger = slog.New(warningHandler(func(message string) { o.printWarnings(message) }))
	options.Sources.Folders = o.folders
	options.Runtime.CacheDir, options.NoCache = cache, strings.EqualFold(cache, cacheOff)
	options.Runtime.CompileCommand = o.compiler
	options.Keyring = keyring.New
	return options, nil
}

// startServers has servers of the operator's file started for these tools, or all of them when no
// tool is named. A process that was started as a server starts none.
func (o toolOptions) startServers(options *standard.Options, tools ...string) {
	if _, inside := o.getenv(mcp.InsideEnv); inside {
		return
	}
	servers := slices.Collect(maps.Keys(options.Config.Servers()))
	if len(tools) > 0 {
		servers = nil
		for _, name := range tools {
			servers = append(servers, mcp.ServerOf(name))
		}
	}
	options.Sources.Servers = servers
}

// openTarget returns a registry that holds the tool which a command line names, and
// the tool's name there.
func (o toolOptions) openTarget(cmd *cobra.Command, options standard.Options, target string) (*registry.Registry, string, error) {
	if strings.HasSuffix(target, ".wasm") {
		return nil, "", usage(cmd, oneLine(target)+" is a module; name the folder or the tool.toml of its tool ('wasmtool inspect' shows a module)")
	}
	name := target // until it is known
	options.Runtime.OnCompile = o.announceCompile(&name)
	options, err := o.targetOptions(options, target)
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
func (o toolOptions) targetOptions(options standard.Options, target string) (standard.Options, error) {
	options, err := o.standardOptions(options)
	switch {
	case err != nil:
	case isPath(target):
		alone(&options)
		options.Sources.Tool = target
	default:
		// Another tool that is broken does not keep this one from running.
		options.Sources.OnLoadError = o.warn
		o.startServers(&options, target)
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
		return "", tool.Errorf(tool.CodeInternal, "%d tools were loaded in place of one", len(infos))
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
	options, err := o.standardOptions(standard.Options{})
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
