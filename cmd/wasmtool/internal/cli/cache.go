package cli

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

func newCacheCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "cache",
		Short: "Show, fill and clear the cache of compiled modules",
		Long: `Show, fill and clear the cache of compiled modules.

A module is compiled when it is first used. The result is kept in a directory that only
you can read: the one named by --cache, or by $WASMTOOL_CACHE, or a directory in your
user cache directory. When the cache is full, the least recently used modules are
deleted.

Exit status: see the help of each subcommand.`,
		Example: `  wasmtool cache list
  wasmtool cache warm
  wasmtool cache clear`,
	}, newCacheListCommand(a), newCacheWarmCommand(a), newCacheClearCommand(a))
}

func newCacheListCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the compiled modules",
		Long: `List the compiled modules, most recently used first. Each line has the start of the
module's SHA-256 digest, the size on disk, the time of the last use, and the tools that
have this module: built-in tools and those found with --tools. A stale module was
compiled by another version of wasmtool or for another machine, and is not used here.
The last line has the total size and the limit of the cache.

Exit status: 0; 2 if the directory cannot be used.`,
		Example: `  wasmtool cache list
  wasmtool cache list --tools ./my-tools --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.cacheList(cmd, format) },
	}
	o.add(cmd)
	format.add(cmd)
	return cmd
}

// cacheView is the JSON object that 'cache list --json' prints.
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

func (o toolOptions) cacheList(cmd *cobra.Command, format listFormat) error {
	cache, err := o.openCache(cmd)
	if err != nil {
		return err
	}
	entries, err := cache.List()
	if err != nil {
		return usage(cmd, err.Error())
	}
	options, err := o.standardOptions(standard.Options{Sources: standard.Sources{OnLoadError: o.warn}})
	if err != nil {
		return err
	}
	modules, err := standard.Modules(options)
	if err != nil {
		return err
	}
	view := newCacheView(entries, modules)
	l := list{
		value: view, header: []string{"MODULE", "SIZE", "LAST USED", "TOOLS"},
		footer: fmt.Sprintf("%s, %s of at most %s", moduleCount(len(view.Entries)), byteCount(uint64(view.Bytes)), byteCount(uint64(view.MaxBytes))),
	}
	for _, e := range view.Entries {
		l.names = append(l.names, e.SHA256)
		l.rows = append(l.rows, []string{e.shortDigest(), byteCount(uint64(e.Bytes)), localTime(e.LastUsed), e.remark()})
	}
	return o.printList(format, l)
}

// newCacheView returns the view of a cache. The parts of a module are one entry, which was last
// used when one of them was.
func newCacheView(entries []runtime.CacheEntry, modules []standard.Module) cacheView {
	tools := make(map[string][]string)
	for _, m := range modules {
		tools[m.Digest] = append(tools[m.Digest], m.Tool)
	}
	view := cacheView{Entries: []cacheEntryView{}, MaxBytes: runtime.DefaultCacheMaxBytes}
	for _, e := range entries {
		view.Bytes += e.Bytes
		same := func(v cacheEntryView) bool {
			return v.SHA256 == e.ModuleDigest && v.SHA256 != "" && v.Usable && e.Usable
		}
		if at := slices.IndexFunc(view.Entries, same); at >= 0 {
			view.Entries[at].Bytes += e.Bytes
			continue
		}
		view.Entries = append(view.Entries, cacheEntryView{
			SHA256: e.ModuleDigest, Bytes: e.Bytes, LastUsed: e.LastUsed.UTC(), Usable: e.Usable,
			Tools: append([]string{}, slices.Sorted(slices.Values(tools[e.ModuleDigest]))...),
		})
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

// remark returns the last column of the list: whether the entry is stale, and its tools.
func (e cacheEntryView) remark() string {
	return strings.TrimSpace(yesNo(e.Usable, "", "(stale) ") + strings.Join(e.Tools, ", "))
}

func moduleCount(n int) string {
	if n == 1 {
		return "1 module"
	}
	return fmt.Sprintf("%d modules", n)
}

func newCacheClearCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	cmd := &cobra.Command{
		Use:   "clear",
		Short: "Delete the compiled modules",
		Long: `Delete all compiled modules and no other files. Modules are compiled again when they
are next used.

Exit status: 0; 2 if the directory cannot be used.`,
		Example: `  wasmtool cache clear
  wasmtool cache clear --cache /tmp/modules`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.cacheClear(cmd) },
	}
	o.addCache(cmd)
	return cmd
}

func (o toolOptions) cacheClear(cmd *cobra.Command) error {
	cache, err := o.openCache(cmd)
	if err != nil {
		return err
	}
	listed, err := cache.List()
	if err != nil {
		return usage(cmd, err.Error())
	}
	modules := len(newCacheView(listed, nil).Entries)
	entries, bytes, err := cache.Clear()
	o.note("deleted %s, %s", moduleCount(min(modules, entries)), byteCount(uint64(bytes)))
	if err != nil {
		return usage(cmd, err.Error())
	}
	return nil
}

func newCacheWarmCommand(a *app) *cobra.Command {
	o := toolOptions{app: a}
	cmd := &cobra.Command{
		Use:   "warm [NAME...]",
		Short: "Compile tools now, so that their first call is fast",
		Long: `Compile the modules of the named tools, or of all tools: the built-in ones and those
found with --tools. Modules that are already compiled are left as they are. Modules that
are compiled in parts are compiled as a whole. No tool is run. Progress is shown only on
a terminal.

If a tool fails, the others are still compiled.

Exit status: 0; 2 if the directory cannot be used; 7 if there is no tool of that name;
8 if a tool cannot be loaded; 70 if a compiled module could not be stored.`,
		Example: `  wasmtool cache warm
  wasmtool cache warm grep glob
  wasmtool cache warm --tools ./my-tools`,
		RunE: func(cmd *cobra.Command, names []string) error { return o.cacheWarm(cmd, names) },
	}
	o.add(cmd)
	return cmd
}

func (o toolOptions) cacheWarm(cmd *cobra.Command, names []string) error {
	if _, err := o.openCache(cmd); err != nil {
		return err
	}
	failed := complaints{Streams: o.Streams}
	var unkept atomic.Pointer[tool.Error]
	// step is the text to show when a compilation begins. It is atomic, because a compilation can
	// outlive the call of Prepare that started the compilation, and then still reads step.
	var step atomic.Pointer[string]
	step.Store(new(string))
	options, err := o.standardOptions(standard.Options{Sources: standard.Sources{OnLoadError: failed.add}})
	if err != nil {
		return err
	}
	o.showCompile(&options.Runtime, func() string { return *step.Load() })
	options.Registry.Logger = slog.New(warningHandler(func(message string) {
		if strings.HasPrefix(message, runtime.NotKept) {
			unkept.Store(&tool.Error{Code: tool.CodeInternal, Message: message})
		} else {
			o.printWarnings(message)
		}
	}))
	tools, err := standard.New(options)
	if err != nil {
		return err
	}
	defer tools.Close()
	if len(names) == 0 {
		for _, info := range tools.Tools().List(catalogue.Filter{}) {
			names = append(names, info.Name)
		}
	}
	for i, name := range names {
		step.Store(new(fmt.Sprintf("compiling %s, %d of %d", oneLine(name), i+1, len(names))))
		if err := tools.Prepare(cmd.Context(), name); err != nil {
			failed.add(fmt.Errorf("%s: %w", name, err))
		}
		if cmd.Context().Err() != nil {
			break
		}
	}
	if e := unkept.Load(); e != nil {
		failed.add(e)
	}
	return failed.last
}

// openCache opens the cache that the command line names.
func (o toolOptions) openCache(cmd *cobra.Command) (*runtime.Cache, error) {
	options, err := o.standardOptions(standard.Options{})
	if err != nil {
		return nil, err
	}
	dir := standard.CacheDir(options)
	switch {
	case options.NoCache:
		return nil, usage(cmd, "the cache is off; name a directory with --cache DIR")
	case dir == "":
		return nil, usage(cmd, "this user has no cache directory; name a directory with --cache DIR")
	}
	cache, err := runtime.OpenCache(dir)
	if err != nil {
		return nil, usage(cmd, fmt.Sprintf("%v; name another directory with --cache DIR", err))
	}
	return cache, nil
}
