package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// These functions complete command lines for a shell, which cannot show messages: whatever fails
// has no completions. They start no MCP server and compile no module, because the shell waits.

// completion is the result of a function that completes command lines.
type completion struct {
	words     []string // each may end with a tab and a description
	directive cobra.ShellCompDirective
}

// add adds a completion. Names in manifests are untrusted, so words that a shell cannot show as
// they are get left out.
func (c *completion) add(word, description string) {
	if plaintext.Plain(word, plaintext.Word) {
		c.words = append(c.words, word+listed("\t", oneLine(firstSentence(description))))
	}
}

func (c completion) result() ([]string, cobra.ShellCompDirective) {
	return c.words, c.directive | cobra.ShellCompDirectiveNoFileComp
}

// openQuietly opens the tools for a completion; target may be the path of a tool.
func (o *toolOptions) openQuietly(target string) (*registry.Registry, error) {
	options, err := o.standardOptions(standard.Options{})
	if err != nil {
		return nil, err
	}
	if isPath(target) {
		alone(&options)
		options.Sources.Tool = target
	}
	options.Sources.OnLoadError, options.Registry.Logger = func(error) {}, nil
	return standard.New(options)
}

// listQuietly returns all tools for a completion.
func (o *toolOptions) listQuietly() []catalogue.Info {
	tools, err := o.openQuietly("")
	if err != nil {
		return nil
	}
	defer tools.Close()
	return tools.Tools().List(catalogue.Filter{})
}

// specOf returns the tool that the first argument of a command line names.
func (o *toolOptions) specOf(args []string) (spec tool.Spec, found bool) {
	if len(args) == 0 {
		return spec, false
	}
	tools, err := o.openQuietly(args[0])
	if err != nil {
		return spec, false
	}
	defer tools.Close()
	name, err := nameOf(args[0], tools)
	if err != nil {
		return spec, false
	}
	info, err := tools.Tools().Get(name)
	return info.Spec, err == nil
}

// completeTool completes the name of the only tool of a command line.
func (o *toolOptions) completeTool(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return o.completeTools(cmd, nil, begun)
}

// completeTools completes the names of tools that the command line does not have yet.
func (o *toolOptions) completeTools(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if isPath(begun) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var c completion
	for _, info := range o.listQuietly() {
		if strings.HasPrefix(info.Name, begun) && !slices.Contains(args, info.Name) {
			c.add(info.Name, info.Description)
		}
	}
	return c.result()
}

// completePermissions completes a tool, and then permissions that the tool asks for.
func (o *toolOptions) completePermissions(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return o.completeTool(cmd, args, begun)
	}
	return o.completeAsked(askedPermissions)(cmd, args, begun)
}

// completeAsked completes what the function asked returns for the tool of the command line.
func (o *toolOptions) completeAsked(asked func(tool.Spec) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var c completion
		spec, _ := o.specOf(args)
		for _, word := range asked(spec) {
			if !slices.Contains(args, word) {
				c.add(word, "")
			}
		}
		return c.result()
	}
}

func askedPermissions(s tool.Spec) []string {
	return slices.DeleteFunc(capability.Strings(s.Permissions.List()), func(text string) bool {
		return strings.HasSuffix(text, ":"+capability.ScratchMount)
	})
}

func askedVariables(s tool.Spec) []string { return s.Permissions.Env }

// completeListed completes the values that the function of returns for the tools, such as their
// categories.
func (o *toolOptions) completeListed(of func(catalogue.Info) []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var c completion
		var values []string
		for _, info := range o.listQuietly() {
			values = append(values, of(info)...)
		}
		slices.Sort(values)
		for _, value := range slices.Compact(values) {
			c.add(value, "")
		}
		return c.result()
	}
}

// completeCall completes a tool and then its arguments.
func (o *runOptions) completeCall(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return o.completeTool(cmd, args, begun)
	}
	var c completion
	spec, found := o.specOf(args)
	schema, err := jsonschema.CompileParameters(spec.Parameters)
	if !found || err != nil {
		return c.result()
	}
	key, value, hasValue := strings.Cut(begun, "=")
	name, isJSON := strings.CutSuffix(key, ":")
	for _, p := range schema.Parameters() {
		given := slices.ContainsFunc(args[1:], func(pair string) bool {
			return strings.HasPrefix(pair, p.Name+"=") || strings.HasPrefix(pair, p.Name+":=")
		})
		switch {
		case !hasValue && !given:
			c.add(p.Name+"=", p.Description)
			c.directive = cobra.ShellCompDirectiveNoSpace
		case hasValue && (p.Name == name || slices.Contains(p.Aliases, name)):
			c.addValues(p, key+"=", isJSON)
			isFile := len(spec.Permissions.FS) > 0 && (p.Name == spec.Changes || pathName.MatchString(p.Name))
			// Absolute paths are paths in the guest.
			if len(p.Enum) == 0 && !isJSON && isFile && !filepath.IsAbs(value) {
				c.addPaths(o.workspaceRoot(), key+"=", value)
			}
		}
	}
	return c.result()
}

// pathName matches the name of a parameter that holds a path.
var pathName = lazyregexp.New(`(?i)(^|_)(path|file|dir|directory|cwd)$|Path$`)

// addValues adds the values of a parameter that are known.
func (c *completion) addValues(p jsonschema.Parameter, prefix string, isJSON bool) {
	for _, value := range p.Enum {
		var text string
		if isJSON || json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		c.add(prefix+text, "")
	}
	if p.Type == "boolean" && len(p.Enum) == 0 {
		c.add(prefix+"true", "")
		c.add(prefix+"false", "")
	}
}

// workspaceRoot returns the directory in which the relative paths of arguments begin.
func (o *runOptions) workspaceRoot() string {
	for _, flag := range o.dirs {
		if name, path, _, err := splitDir(flag); err == nil && name == capability.WorkspaceMount {
			return path
		}
	}
	return "."
}

// maxPaths limits the paths that are shown.
const maxPaths = 1000

// addPaths adds the files of a directory below root. The shell cannot do this, because the prefix,
// such as "path=", is part of the word.
func (c *completion) addPaths(root, prefix, begun string) {
	dir, base := filepath.Split(begun)
	in := filepath.Join(root, dir)
	entries, _ := os.ReadDir(in)
	for _, entry := range entries[:min(len(entries), maxPaths)] {
		name := entry.Name()
		hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".")
		if hidden || !strings.HasPrefix(name, base) {
			continue
		}
		if info, err := os.Stat(filepath.Join(in, name)); err == nil && info.IsDir() {
			name += "/"
			c.directive = cobra.ShellCompDirectiveNoSpace // the path goes on
		}
		c.add(prefix+dir+name, "")
	}
}

// completeDecision completes the IDs of stored grants and approvals of a tenant, and their tools.
func completeDecision(tenant *string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var c completion
		stores, list, err := openDecisions(cmd.Context(), *tenant)
		if err != nil || len(args) > 0 {
			closeStores(stores)
			return c.result()
		}
		defer closeStores(stores)
		tools := make(map[string]bool)
		for _, d := range list {
			c.add(d.id, d.tool+": "+d.kind+listed(" ", d.reaches))
			if !tools[d.tool] {
				c.add(d.tool, "all of this tool")
			}
			tools[d.tool] = true
		}
		return c.result()
	}
}

// completeFlag sets the function that completes the value of a flag.
func completeFlag(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	// An error would mean that the flag does not exist or is completed already.
	_ = cmd.RegisterFlagCompletionFunc(flag, complete)
}

// completeDirs makes the shell complete directories.
func completeDirs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeWords completes a flag that accepts only these words.
func completeWords(cmd *cobra.Command, flag string, words []string) {
	completeFlag(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// completeMount completes NAME= of --dir with the mounts that the tool asks for.
func (o *toolOptions) completeMount(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	var c completion
	if name, path, ok := strings.Cut(begun, "="); ok {
		root := "."
		if filepath.IsAbs(path) {
			root = ""
		}
		c.addPaths(root, name+"=", path)
		return c.result()
	}
	c.directive = cobra.ShellCompDirectiveNoSpace
	spec, _ := o.specOf(args)
	for _, f := range spec.Permissions.FS {
		if f.Mount != capability.ScratchMount {
			c.add(f.Mount+"=", "")
		}
	}
	return c.result()
}
