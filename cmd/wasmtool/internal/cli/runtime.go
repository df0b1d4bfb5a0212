package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

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

An interpreter is downloaded only by 'wasmtool runtime add', or after a question at a
terminal when a tool needs it, and then needs no network.
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
		Long: `Download an interpreter from the npm registry, or take it from a file or an HTTPS URL with
--from: the package, such as python-wasi-3.12.0.tgz, or the module in it. The digest is
checked before anything is unpacked or stored.

Exit status: 0; 2 if there is no such interpreter, or the file is not it; 9 if the
download failed.`,
		Example: `  wasmtool runtime add python
  wasmtool runtime add python --from python-wasi-3.12.0.tgz
  wasmtool runtime add python --from https://mirror.example/python-wasi-3.12.0.tgz`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.runtimeAdd(cmd, args[0], from) },
	}
	cmd.Flags().StringVar(&from, "from", "", "add the interpreter in `FILE|URL`, not from the npm registry")
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
	switch scheme, _, isURL := strings.Cut(from, "://"); {
	case isURL && scheme != "https":
		return usage(cmd, "--from: the URL must begin with https://")
	case isURL || from == "":
		return o.download(cmd.Context(), store, release, from)
	}
	file, err := os.Open(from)
	if err != nil {
		return usage(cmd, fmt.Sprintf("--from: %v", err))
	}
	defer file.Close()
	if err := store.Add(name, file); err != nil {
		return usage(cmd, fmt.Sprintf("--from %s: %v", from, err))
	}
	o.noteAdded(release)
	return nil
}

// download downloads an interpreter from a URL, or from where it is published if from is empty, and
// shows the progress.
func (s Streams) download(ctx context.Context, store *runtimes.Store, r runtimes.Release, from string) error {
	text := fmt.Sprintf("downloading %s (%s)", r.Archive.Package, byteCount(uint64(r.Archive.Size)))
	output := &callOutput{err: s.Err, name: r.Name}
	defer output.end()
	if _, ok := s.Err.(*terminal.StatusLine); !ok {
		s.note("%s ...", text)
	}
	progress := func(done int) { output.progress(float64(done), float64(r.Archive.Size), text) }
	if err := store.Fetch(ctx, r.Name, from, egress.Transport{}, progress); err != nil {
		return (&tool.Error{Code: tool.CodeNetwork, Message: err.Error()}).WithCause(err)
	}
	output.end()
	s.noteAdded(r)
	return nil
}

func (s Streams) noteAdded(r runtimes.Release) {
	s.note("added %s %s", r.Name, r.Version)
}

// offerRuntimes asks the person at the terminal to download the interpreters that tools need and
// that are not here. options returns where the tools come from, and names limits the tools; none
// means all. Without a terminal, or after a refusal, the tool then fails with the command to run.
func (s Streams) offerRuntimes(ctx context.Context, inputFromStdin bool, options func() (standard.Options, error), names ...string) error {
	store := standard.Runtimes(standard.Options{})
	missing := slices.DeleteFunc(store.List(), func(r runtimes.Installed) bool { return r.Here || r.Revoked != "" })
	if len(missing) == 0 {
		return nil
	}
	person := s.person(inputFromStdin)
	if person == nil {
		return nil
	}
	from, err := options()
	if err != nil {
		return err
	}
	from.Sources.OnLoadError = func(error) {}
	loaded, _ := standard.Manifests(from) // errors are reported when the tools are opened
	for _, r := range missing {
		needs := func(m standard.LoadedManifest) bool {
			uses := m.Module.Runtime == r.Name || r.Name == runtimes.TypeScript && path.Ext(m.Script.Path) == ".ts"
			return uses && (len(names) == 0 || slices.Contains(names, m.Name))
		}
		if !slices.ContainsFunc(loaded, needs) {
			continue
		}
		fmt.Fprintf(person, "Download %s %s (%d MiB) from the npm registry? [y/N] ", r.Title, r.Version, r.Archive.Size>>20)
		answer, err := s.answer(ctx, person)
		if err == nil && slices.Contains([]string{"y", "yes"}, strings.ToLower(answer)) {
			err = s.download(ctx, store, r.Release, "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runtimeView is one object of 'runtime list --json'.
type runtimeView struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Date     string `json:"date"`
	Months   int    `json:"age_months"`
	Added    bool   `json:"added"`
	Embedded bool   `json:"embedded"`
	SHA256   string `json:"sha256"`
	Bytes    int    `json:"bytes"`
	File     string `json:"file,omitempty"`
	Package  string `json:"package,omitempty"`
	Licences string `json:"licences"`
	Note     string `json:"note"`
	Updates  string `json:"updates"`
	Revoked  string `json:"revoked,omitempty"`
}

func newRuntimeListCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the interpreters",
		Long: `List the interpreters that wasmtool knows: name and version, the age of the version, the
size, where the interpreter is, its digest and licences, and who changes the version in
wasmtool. A revoked interpreter is not used any more.

Exit status: 0.`,
		Example: `  wasmtool runtime list
  wasmtool runtime list --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := standard.Runtimes(standard.Options{}).List()
			views := []runtimeView{}
			l := list{header: []string{"NAME", "VERSION", "AGE", "SIZE", "WHERE", "SHA256", "LICENCES", "UPDATED BY"}}
			for _, r := range all {
				v := viewOfRuntime(r)
				views = append(views, v)
				l.names = append(l.names, r.Name)
				where := cmp.Or(oneLine(r.File), yesNo(v.Embedded, "in wasmtool", "not added"))
				if r.Revoked != "" {
					where = "revoked: " + r.Revoked
				}
				l.rows = append(l.rows, []string{r.Name, r.Version, fmt.Sprintf("%d months", v.Months), byteCount(uint64(r.Size)), where, r.SHA256, r.Licences, r.Updates})
			}
			l.value = views
			return o.printList(format, l)
		},
	}
	format.add(cmd)
	return cmd
}

func viewOfRuntime(r runtimes.Installed) runtimeView {
	return runtimeView{
		r.Name, r.Version, r.Date, r.Months(time.Now()), r.Here, r.Embedded != nil, r.SHA256, r.Size,
		r.File, r.Archive.Package, r.Licences, r.Note, r.Updates, r.Revoked,
	}
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
