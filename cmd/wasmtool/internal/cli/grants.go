package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// grantOptions holds the flags that grant permissions.
type grantOptions struct {
	dirs  []string
	env   []string
	allow []string
	// workspaces are the values of --workspace. workspace is the default; "" if there is none.
	workspaces []string
	workspace  string
	words      []capability.Permission // parsed from allow
	secrets    []string
	// given holds the permissions of all flags. A call from the command line needs no approval
	// for them.
	given []capability.Permission
}

// add defines the flags. byDefault is the default of --dir to show in its help; it may be empty.
func (o *grantOptions) add(cmd *cobra.Command, byDefault string) {
	repeatable := "repeatable"
	if byDefault != "" {
		repeatable += "; default " + byDefault
	}
	cmd.Flags().StringArrayVar(&o.dirs, "dir", nil, "grant the directory `NAME=PATH`, read-only, to a tool that asks for the mount NAME; write NAME=PATH:rw to grant writing as well ("+repeatable+")")
	cmd.Flags().StringArrayVar(&o.env, "env", nil, "grant the environment variable `NAME`, or NAME=VALUE, to a tool that asks for it (repeatable)")
	cmd.Flags().StringArrayVar(&o.allow, "allow", nil, "grant the `PERMISSION` to a tool that asks for it, such as write:workspace, net:https://api.github.com, env:LANG or kv:write (repeatable)")
}

// addSecrets defines the flag --secret.
func (o *grantOptions) addSecrets(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.secrets, "secret", nil, "use the value of the secret `NAME=env:VAR`, NAME=@FILE, or NAME=- for standard input, instead of a value from the operator's file; it grants nothing (repeatable)")
}

// secretSources adds the values of --secret to the options of a registry. A value on the command
// line is refused and not repeated, because all users of the machine can read command lines.
func (o *grantOptions) secretSources(cmd *cobra.Command, a *app, options *standard.Options) error {
	options.Secrets = make(map[string]secret.Source)
	fromInput := false
	for _, text := range o.secrets {
		name, where, ok := strings.Cut(text, "=")
		if _, err := capability.NewPermission(capability.KindSecret, name); err != nil || !ok {
			return usage(cmd, "--secret: write NAME=env:VAR, NAME=@FILE, or NAME=- for standard input; NAME is the name of the secret in the manifest")
		}
		if _, twice := options.Secrets[name]; twice {
			return usage(cmd, "--secret "+name+" is given twice; remove one")
		}
		variable, isVariable := strings.CutPrefix(where, "env:")
		file, isFile := strings.CutPrefix(where, "@")
		switch {
		case isVariable:
			if _, set := a.getenv(variable); !set {
				return usage(cmd, fmt.Sprintf("--secret %s: the variable after env: is not set; export it first", name))
			}
			options.Secrets[name] = secret.FromEnv(variable, a.getenv)
		case isFile && file != "":
			path, err := filepath.Abs(file)
			if err != nil {
				return usage(cmd, fmt.Sprintf("--secret %s: the current directory is unknown; write the absolute path", name))
			}
			options.Secrets[name] = secret.FromFile(path)
			options.Files.Protected = append(options.Files.Protected, path)
		case where == "-" && fromInput:
			return usage(cmd, "--secret reads standard input for two secrets; use env:VAR or @FILE for one")
		case where == "-":
			value, err := a.readSecret(name)
			if err != nil {
				return usage(cmd, fmt.Sprintf("--secret %s: standard input cannot be read", name))
			}
			options.Secrets[name] = secret.FromFunc("standard input", func() (string, error) { return value, nil })
			fromInput = true
		default:
			return usage(cmd, fmt.Sprintf("--secret %[1]s: other users can see a value on the command line; write %[1]s=env:VAR, %[1]s=@FILE, or %[1]s=- for standard input", name))
		}
	}
	return nil
}

// readsInput reports whether a value of --secret names standard input.
func readsInput(text string) bool { return strings.HasSuffix(text, "=-") }

// readSecret reads a value from standard input, at most one byte more than a secret may have. A
// terminal asks for the value and does not show it.
func (a *app) readSecret(name string) (string, error) {
	if f, ok := a.In.(*os.File); ok && terminal.Is(a.In) {
		fmt.Fprintf(a.Err, "Value of the secret %s: ", name)
		defer fmt.Fprintln(a.Err)
		value, err := term.ReadPassword(int(f.Fd()))
		return string(value), err
	}
	value, err := io.ReadAll(io.LimitReader(a.In, secret.MaxSource+1))
	return strings.TrimSuffix(strings.TrimSuffix(string(value), "\n"), "\r"), err
}

// addWorkspace defines the flag --workspace. byDefault is the directory of the mount "workspace" if
// the flag does not name one; "" means none.
func (o *grantOptions) addWorkspace(cmd *cobra.Command, byDefault string) {
	help := "repeatable"
	if byDefault != "" {
		help += "; default " + byDefault
	}
	o.workspace = byDefault
	cmd.Flags().StringArrayVar(&o.workspaces, "workspace", nil, "grant the directory `DIR`, read-only, to tools that ask for the mount \"workspace\"; write DIR:rw to grant writing as well, and NAME=DIR for a further workspace, at /NAME ("+help+")")
}

// workspaceName matches the beginning of NAME=DIR.
var workspaceName = lazyregexp.New(`^[a-z][a-z0-9_-]*=`)

// offerWithWorkspace is offer for a command that has the flag --workspace.
func (o *grantOptions) offerWithWorkspace(cmd *cobra.Command, getenv func(string) (string, bool)) (capability.Grantable, error) {
	main := o.workspace
	var named []string
	for _, given := range o.workspaces {
		dir := workspaceName.Regexp().ReplaceAllString(given, "")
		path, _ := strings.CutSuffix(dir, writeSuffix)
		if _, err := existingDir(path); err != nil {
			return capability.Grantable{}, usage(cmd, fmt.Sprintf("--workspace %s: %v", given, err))
		}
		name := strings.TrimSuffix(strings.TrimSuffix(given, dir), "=")
		if name == "" {
			main = dir
			continue
		}
		named = append(named, name)
		o.dirs = append(o.dirs, given)
	}
	if main != "" && !slices.Contains(named, capability.WorkspaceMount) {
		o.dirs = append(o.dirs, capability.WorkspaceMount+"="+main)
	}
	offer, err := o.offer(cmd, getenv)
	for _, name := range named {
		if m, ok := offer.Mounts[name]; ok {
			m.Workspace = true
			offer.Mounts[name] = m
		}
	}
	return offer, err
}

// offer returns the permissions that the flags make grantable, and sets words and given.
func (o *grantOptions) offer(cmd *cobra.Command, getenv func(string) (string, bool)) (capability.Grantable, error) {
	offer := capability.Grantable{
		Mounts: make(map[string]capability.Mount),
		Env:    make(map[string]string),
		Clock:  true,
		Random: true,
	}
	for _, dir := range o.dirs {
		name, path, mode, err := splitDir(dir)
		if err != nil {
			return offer, usage(cmd, err.Error())
		}
		if _, twice := offer.Mounts[name]; twice {
			return offer, usage(cmd, fmt.Sprintf("--dir %s is given twice; remove one", name))
		}
		abs, err := existingDir(path)
		if err != nil {
			return offer, usage(cmd, fmt.Sprintf("--dir %s: %v", dir, err))
		}
		offer.Mounts[name] = capability.Mount{Dir: abs, Mode: mode}
		o.give(mode.String() + ":" + name)
	}
	for _, variable := range o.env {
		name, value, given := strings.Cut(variable, "=")
		if !given {
			if value, given = getenv(name); !given {
				return offer, usage(cmd, fmt.Sprintf("--env %s: the variable is not set; write --env %s=VALUE", name, name))
			}
		}
		offer.Env[name] = value
		o.give("env:" + name)
	}
	for _, text := range o.allow {
		word, err := capability.ParsePermission(text)
		if err != nil {
			return offer, usage(cmd, fmt.Sprintf("--allow %s: %v", text, err))
		}
		if _, set := getenv(word.Name()); word.Kind() == capability.KindEnv && !set {
			return offer, usage(cmd, fmt.Sprintf("--allow %s: the variable is not set; write --env %s=VALUE", text, word.Name()))
		}
		o.words = append(o.words, word)
	}
	o.given = append(o.given, o.words...)
	return offer, nil
}

// workspaceDir returns the current directory, which tools may read without a flag. If the process
// has no current directory, it returns "", and tools that ask for the workspace cannot run.
func workspaceDir() string {
	cwd, err := existingDir(".")
	if err != nil {
		return ""
	}
	return cwd
}

// give records a permission that a flag grants.
func (o *grantOptions) give(text string) {
	// A permission that does not parse can be ignored, because no manifest can ask for it.
	if word, err := capability.ParsePermission(text); err == nil {
		o.given = append(o.given, word)
	}
}

// checkAsked refuses grants that the tool does not ask for. Otherwise a typo in a name would go
// unnoticed, and the tool would run with a default grant, such as the current directory.
func (o *grantOptions) checkAsked(cmd *cobra.Command, spec tool.Spec) error {
	mounts := each.Of(spec.Permissions.FS, func(f capability.FS) string { return f.Mount })
	for _, list := range []struct {
		flag, what     string
		granted, asked []string
	}{
		{"--dir", "mount", o.dirs, mounts},
		{"--env", "variable", o.env, spec.Permissions.Env},
	} {
		for _, granted := range list.granted {
			name, _, _ := strings.Cut(granted, "=")
			if slices.Contains(list.asked, name) {
				continue
			}
			message := fmt.Sprintf("%s %s: %s does not ask for the %s %s", list.flag, granted, spec.Name, list.what, quote(name))
			if len(list.asked) > 0 {
				message += "; it asks for " + strings.Join(list.asked, ", ")
			}
			return usage(cmd, message)
		}
	}
	for _, word := range o.words {
		if !asks(spec.Permissions, word) {
			return usage(cmd, fmt.Sprintf("--allow %s: %s does not ask for it; it asks for %s", word, spec.Name, spec.Permissions))
		}
	}
	return nil
}

// asks reports whether a tool asks for anything that the permission w grants.
func asks(p capability.Permissions, w capability.Permission) bool {
	return slices.ContainsFunc(p.List(), func(asked capability.Permission) bool {
		switch w.Kind() {
		case capability.KindRead, capability.KindWrite:
			return (asked.Kind() == capability.KindRead || asked.Kind() == capability.KindWrite) && asked.Name() == w.Name()
		case capability.KindNet, capability.KindNetPrivate:
			_, overlap := asked.URL().Intersect(w.URL())
			return (asked.Kind() == capability.KindNet || asked.Kind() == capability.KindNetPrivate) && (asked.URL().IsAny() || overlap)
		case capability.KindKV:
			return asked.Kind() == capability.KindKV
		case capability.KindTools:
			return asked.MayCallSame(w)
		}
		return asked == w
	})
}

// writeSuffix at the end of a path grants writing. For a directory whose own name ends in :rw, the
// user adds a slash to the path.
const writeSuffix = ":rw"

// splitDir splits NAME=PATH or NAME=PATH:rw.
func splitDir(dir string) (name, path string, mode capability.Mode, err error) {
	name, path, ok := strings.Cut(dir, "=")
	path, write := strings.CutSuffix(path, writeSuffix)
	switch {
	case !ok || name == "" || path == "":
		return "", "", capability.ModeNone, fmt.Errorf("--dir %s: write NAME=PATH, such as workspace=src, or NAME=PATH:rw", dir)
	case name == capability.ScratchMount:
		return "", "", capability.ModeNone, fmt.Errorf("--dir %s: %s is the private directory of each call; choose another name", dir, name)
	case otherSuffix.MatchString(path):
		return "", "", capability.ModeNone, fmt.Errorf("--dir %s: the only suffix is :rw; without it the directory is read-only", dir)
	case write:
		return name, path, capability.ModeWrite, nil
	}
	return name, path, capability.ModeRead, nil
}

// otherSuffix matches suffixes that other programs accept after a path.
var otherSuffix = lazyregexp.New(`(?i):(ro|rw|r|w)$`)

func existingDir(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", errors.New("the directory does not exist")
	}
	if !info.IsDir() {
		return "", errors.New("the path is not a directory")
	}
	return filepath.Abs(path)
}
