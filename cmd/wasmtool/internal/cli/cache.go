package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/runtime"
)

func (a *app) cacheCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Show, fill and clear the cache of compiled modules",
		Long: `Show, fill and clear the cache of compiled modules.

A module is compiled when it is used for the first time, and kept in a folder that
only you can read: the one named by --cache, else by $WASMTOOL_CACHE, else a folder
in your cache folder. When there is too much, what was not used for longest goes.

Exit status: that of the subcommand.`,
		Example: `  wasmtool cache list
  wasmtool cache warm
  wasmtool cache clear`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.cacheListCommand(), a.cacheWarmCommand(), a.cacheClearCommand())
	return cmd
}

func (a *app) cacheListCommand() *cobra.Command {
	var o toolOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the compiled modules",
		Long: `List the compiled modules, those used last first: the start of the module's SHA-256,
the size on disk, the last use, and the tools of that module among the built-in ones
and those of --tools. A stale one is of another version of wasmtool or another
machine; it is not used here. The last line has the total, and how much is kept.

Exit status: 0; 2 when the folder cannot be used.`,
		Example: `  wasmtool cache list
  wasmtool cache list --tools ./my-tools --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.cacheList(cmd, o, asJSON) },
	}
	o.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func (a *app) cacheClearCommand() *cobra.Command {
	var o toolOptions
	cmd := &cobra.Command{
		Use:   "clear",
		Short: "Delete the compiled modules",
		Long: `Delete all compiled modules, and no other file. They are compiled again when they
are needed.

Exit status: 0; 2 when the folder cannot be used.`,
		Example: `  wasmtool cache clear
  wasmtool cache clear --cache /tmp/modules`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.cacheClear(cmd, o) },
	}
	o.addCache(cmd)
	return cmd
}

// openCache returns the cache that the command line names.
func (a *app) openCache(cmd *cobra.Command, o toolOptions) (*runtime.Cache, error) {
	options, err := a.standardOptions(o, toolSet{})
	if err != nil {
		return nil, err
	}
	dir := standard.CacheDir(options)
	switch {
	case options.NoCache:
		return nil, usage(cmd, "the cache is off; name a folder with --cache DIR")
	case dir == "":
		return nil, usage(cmd, "you have no cache folder; name a folder with --cache DIR")
	}
	cache, err := runtime.OpenCache(dir)
	if err != nil {
		return nil, usage(cmd, fmt.Sprintf("%v; name another folder with --cache DIR", err))
	}
	return cache, nil
}

// cacheView is what 'cache list --json' prints.
type cacheView struct {
	Entries  []cacheEntryView `json:"entries"`
	Bytes    int64            `json:"bytes"`
	MaxBytes int64            `json:"max_bytes"`
}

type cacheEntryView struct {
	SHA256   string    `json:"sha256"`
	Bytes    int64     `json:"bytes"`
	LastUsed time.Time `json:"last_used"`
	Tools    []string  `json:"tools"`
	Usable   bool      `json:"usable"`
}

func (a *app) cacheList(cmd *cobra.Command, o toolOptions, asJSON bool) error {
	cache, err := a.openCache(cmd, o)
	if err != nil {
		return err
	}
	entries, err := cache.List()
	if err != nil {
		return usage(cmd, err.Error())
	}
	options, err := a.standardOptions(o, toolSet{onLoadError: a.warn})
	if err != nil {
		return err
	}
	modules, err := standard.Modules(options)
	if err != nil {
		return err
	}
	view := newCacheView(entries, modules)
	if asJSON {
		return a.printJSON(view)
	}
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	for _, e := range view.Entries {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.shortDigest(), byteCount(uint64(e.Bytes)), e.LastUsed.Local().Format("2006-01-02 15:04"), e.remark())
	}
	err = w.Flush()
	if err == nil {
		_, err = fmt.Fprintf(a.Out, "%s, %s of at most %s\n", moduleCount(len(view.Entries)), byteCount(uint64(view.Bytes)), byteCount(uint64(view.MaxBytes)))
	}
	if err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	return nil
}

func newCacheView(entries []runtime.CacheEntry, modules []standard.Module) cacheView {
	tools := make(map[string][]string)
	for _, m := range modules {
		tools[m.Digest] = append(tools[m.Digest], m.Tool)
	}
	view := cacheView{Entries: []cacheEntryView{}, MaxBytes: runtime.DefaultCacheMaxBytes}
	for _, e := range entries {
		names := slices.Sorted(slices.Values(tools[e.ModuleDigest]))
		if names == nil {
			names = []string{}
		}
		view.Entries = append(view.Entries, cacheEntryView{
			SHA256: e.ModuleDigest, Bytes: e.Bytes, LastUsed: e.LastUsed.UTC(), Tools: names, Usable: e.Usable,
		})
		view.Bytes += e.Bytes
	}
	return view
}

func (e cacheEntryView) shortDigest() string {
	const digits = 12
	if len(e.SHA256) < digits {
		return "unknown"
	}
	return e.SHA256[:digits]
}

// remark is the column that says what an entry is good for.
func (e cacheEntryView) remark() string {
	var parts []string
	if !e.Usable {
		parts = append(parts, "(stale)")
	}
	parts = append(parts, strings.Join(e.Tools, ", "))
	return strings.TrimSpace(strings.Join(parts, " "))
}

func moduleCount(n int) string {
	if n == 1 {
		return "1 module"
	}
	return fmt.Sprintf("%d modules", n)
}

func (a *app) cacheClear(cmd *cobra.Command, o toolOptions) error {
	cache, err := a.openCache(cmd, o)
	if err != nil {
		return err
	}
	entries, bytes, err := cache.Clear()
	fmt.Fprintf(a.Err, "wasmtool: deleted %s, %s\n", moduleCount(entries), byteCount(uint64(bytes)))
	if err != nil {
		return usage(cmd, err.Error())
	}
	return nil
}
