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
	"github.com/wasmtool/wasmtool/registry/executor/code"
	"github.com/wasmtool/wasmtool/registry/executor/mcp"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// toolOptions holds the flags that say where tools come from. Every command that needs tools has
// them.
type toolOptions struct {
	*app
	directories []string
	cache       string
	config      string
}

func (o *toolOptions) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.directories, "tools", nil, "load the tools in `DIR` as well: DIR/tool.toml and DIR/*/tool.toml (repeatable)")
	o.addConfig(cmd)
	completeFlag(cmd, "tools", completeDirs)
	o.addCache(cmd)
}

func (o *toolOptions) addConfig(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.config, "config", "", "read grants, secrets, limits and policy from the operator's `FILE` (default: $WASMTOOL_CONFIG, or wasmtool/wasmtool.toml in the user's configuration directory)")
}

func (o *toolOptions) addCache(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.cache, "cache", "", "store compiled modules in `DIR`, or nowhere with \"off\" (default: $WASMTOOL_CACHE, or the user's cache directory)")
}

// grantCommand returns the command line that grants permissions to the target, without the
// permissions.
func (o *toolOptions) grantCommand(target string) string {
	return o.commandLine(target, "permission", "grant")
}

// commandLine returns the command line of a subcommand for the target, with the flags that say
// where the target comes from. It can be run in a POSIX shell.
func (o *toolOptions) commandLine(target string, subcommand ...string) string {
	words := append([]string{"wasmtool"}, subcommand...)
	for _, dir := range o.directories {
		words = append(words, "--tools", shellWord(dir))
	}
	if o.config != "" {
		words = append(words, "--config", shellWord(o.config))
	}
	return strings.Join(append(words, shellWord(target)), " ")
}

// cacheOff is the value of --cache that turns the compile cache off.
const cacheOff = "off"

// cacheEnv is the variable that names the directory of compiled modules.
const cacheEnv = "WASMTOOL_CACHE"

// configFile returns the path and the name of the operator's file.
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

// standardOptions adds the flags and the operator's file to the options of a registry. It starts
// no MCP server.
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
	options.Sources.Directories = o.directories
	options.Runtime.CacheDir, options.NoCache = cache, strings.EqualFold(cache, cacheOff)
	options.Runtime.CompileCommand = o.compiler
	options.Keyring = keyring.New
	return options, nil
}

// startServers makes the registry start the MCP servers of these tools. It starts all MCP servers
// of the operator's file if no tool is named, or the tool that calls other tools. It starts none if
// wasmtool itself started this process as an MCP server.
func (o toolOptions) startServers(options *standard.Options, tools ...string) {
	if _, inside := o.getenv(mcp.InsideEnv); inside {
		return
	}
	options.Sources.ServersOf = tools
	if len(tools) == 0 || slices.Contains(tools, code.Name) {
		options.Sources.Servers = slices.Collect(maps.Keys(options.Config.Servers()))
	}
}

// openTarget opens a registry that contains the tool that a command line names, and returns the
// tool's name in the registry.
func (o toolOptions) openTarget(cmd *cobra.Command, options standard.Options, target string) (*registry.Registry, string, error) {
	if strings.HasSuffix(target, ".wasm") {
		return nil, "", usage(cmd, oneLine(target)+" is a module; name the directory or the tool.toml of its tool ('wasmtool inspect' shows a module)")
	}
	name := target // the name to use until the manifest is read
	o.showCompile(&options.Runtime, func() string { return "compiling " + oneLine(name) })
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
	if !tools.Tools().Has(target) && !isPath(target) {
		o.hintDirectory(target)
	}
	return tools, name, nil
}

// targetOptions adds the tool that a command line names to the result of standardOptions. If the
// target is a path, the registry has only that tool, and the built-in tools if it calls others.
func (o toolOptions) targetOptions(options standard.Options, target string) (standard.Options, error) {
	options, err := o.standardOptions(options)
	switch {
	case err != nil:
	case isPath(target):
		alone(&options)
		options.Sources.Tool = target
		options.Sources.NoBuiltins, options.Sources.BuiltinsForCalls = false, true
		o.startServers(&options, target)
	default:
		// A broken tool does not prevent other tools from running.
		options.Sources.OnLoadError = o.warn
		options.Sources.CalledBuiltin = target
		o.startServers(&options, target)
	}
	return options, err
}

// nameOf returns the name of the tool that a command line names. If the target is a path, tools
// must contain only that tool and built-in tools.
func nameOf(target string, tools *registry.Registry) (string, error) {
	if !isPath(target) {
		return target, nil
	}
	// Disabled tools are included, because the call reports that a tool is disabled.
	infos := slices.DeleteFunc(tools.Tools().List(catalogue.Filter{Disabled: true}), func(i catalogue.Info) bool {
		return i.Source == standard.BuiltinSource
	})
	if len(infos) != 1 {
		return "", tool.Errorf(tool.CodeInternal, "%d tools were loaded instead of one", len(infos))
	}
	return infos[0].Name, nil
}

// alone removes all sources of tools from o, so that the caller can add only the tool that the
// command line names by a path.
func alone(o *standard.Options) {
	o.Sources.NoBuiltins, o.Sources.NoDirectories, o.Sources.Directories = true, true, nil
}

// isPath reports whether target is a path rather than the name of a tool: it has a separator, is
// "." or "..", or ends in .toml.
func isPath(target string) bool {
	return target == "." || target == ".." ||
		strings.ContainsRune(target, '/') || strings.ContainsRune(target, filepath.Separator) ||
		strings.HasSuffix(target, ".toml")
}
