package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/terminal"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/process"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/mcpserver/oauth"
	"github.com/wasmtool/wasmtool/registry/otlp"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

type serveOptions struct {
	toolOptions
	grantOptions
	logOptions
	http      string
	admin     string
	tokenFile string
	oauth     oauth.Options
	hosts     []string
	client    string
	operator  *config.Config
	current   func() *config.Config // the operator's file after the last reload
	receipt   bool
	traces    string
	watch     bool
}

// serveInstructions tell a model how permissions and approvals of the tools work.
const serveInstructions = "The tools run with only the permissions that their operator granted. " +
	"A call that may write, send data or see secrets can need the approval of the user, who is asked outside of this conversation. " +
	"If a call is denied, do not repeat it or work around the denial: report what is missing, because only the operator can grant it."

func newServeCommand(a *app) *cobra.Command {
	o := serveOptions{toolOptions: toolOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the tools to MCP clients",
		Long: `Serve the tools to a client of the Model Context Protocol: Claude, Cursor, VS Code and
others. The client starts the command and communicates with it over standard input and
output; --print-config prints the configuration for the client. With --http, the command
serves any number of clients at http://ADDR/mcp instead.

A tool can use only what its manifest asks for and you grant. By default you grant the
clock and randomness. Unlike 'wasmtool run', you do not grant the current directory,
because it depends on the client that starts the command; --workspace grants a directory.
If a call needs approval, the client asks its user. If the client cannot ask its user, the
call is denied. See docs/mcp.md and docs/operator.md.

With --http, an address that other machines can reach needs access control: either a
token of at least 16 bytes, in the variable WASMTOOL_SERVE_TOKEN or in --token-file; or
tokens of [tenants] in the operator's file; or an authorization server, with
--oauth-issuer, which makes each of its users a tenant, or the tenant of [tenants] that
names the user or one of the user's groups.

SIGHUP reloads the operator's file. The first SIGINT or SIGTERM stops the server after
the running calls have ended; a second signal stops the server at once.

Exit status: 0 when the client disconnects or the command is stopped by a signal; 2 if
the command line is wrong.`,
		Example: `  wasmtool serve --workspace . --print-config claude
  wasmtool serve --workspace ~/project:rw --tools ./tools
  wasmtool serve --http 127.0.0.1:8080 --admin 127.0.0.1:8081`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.serve(cmd) },
	}
	o.toolOptions.add(cmd)
	o.grantOptions.add(cmd, "")
	o.addWorkspace(cmd, "")
	o.addSecrets(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.http, "http", "", "serve clients over HTTP at `ADDR`, such as 127.0.0.1:8080, instead of over standard input and output")
	flags.StringVar(&o.admin, "admin", "", "serve /healthz, /readyz and /metrics at `ADDR`, such as 127.0.0.1:8081")
	flags.StringVar(&o.tokenFile, "token-file", "", "read the token that HTTP clients must send from `FILE` (default: $"+tokenEnv+")")
	flags.StringVar(&o.oauth.Issuer, oauthIssuer, "", "accept tokens issued by the authorization server at `URL`, instead of --token-file")
	flags.StringVar(&o.oauth.Resource, oauthResource, "", "set the `URL` under which clients reach this server, such as https://tools.example.com/mcp; accept only tokens issued for it")
	flags.StringVar(&o.oauth.Audience, oauthAudience, "", "accept only tokens with this audience, if the authorization server does not use the URL of --oauth-resource")
	flags.StringArrayVar(&o.oauth.Scopes, oauthScope, nil, "accept only tokens with the scope `NAME` (repeatable)")
	flags.StringVar(&o.oauth.Groups, oauthGroups, "", "read the groups of a user, which [tenants] can name, from the claim `NAME` (default: groups)")
	flags.StringArrayVar(&o.hosts, "allow-host", nil, "accept HTTP requests for the host `NAME` as well as for this machine's own names (repeatable)")
	flags.BoolVar(&o.watch, "watch", false, "reload the tools of --tools and tool_directories when their files change")
	flags.StringVar(&o.client, "print-config", "", "print the configuration for `CLIENT` and exit: "+strings.Join(clientNames(), ", "))
	completeWords(cmd, "print-config", clientNames())
	o.logOptions.add(cmd)
	flags.StringVar(&o.traces, "otlp-endpoint", "", "send a trace of each call to the OpenTelemetry collector at `URL`, such as http://localhost:4318 (default: $OTEL_EXPORTER_OTLP_ENDPOINT)")
	flags.BoolVar(&o.receipt, "receipt", false, "print for each call what it accessed, which rule allowed it and what it cost, as a line of JSON on standard error")
	return cmd
}

// serve checks the command line, opens the tools, and serves them.
func (o *serveOptions) serve(cmd *cobra.Command) error {
	if err := o.checkAccess(cmd); err != nil {
		return err
	}
	if o.http == "" && slices.ContainsFunc(o.secrets, readsInput) {
		return usage(cmd, "--secret NAME=- requires --http, because the client uses standard input; use NAME=env:VAR or NAME=@FILE")
	}
	options := standard.Options{Host: standard.Host{Jobs: new(process.Options)}}
	// This comes before --print-config, which must not print a value on the command line.
	if err := o.secretSources(cmd, o.app, &options); err != nil {
		return err
	}
	if o.client != "" {
		return o.printClientConfig(cmd)
	}
	log := o.logOptions.open(o.Err)
	o.log = log.Logger
	offer, err := o.offerWithWorkspace(cmd, o.getenv)
	if err != nil {
		return err
	}
	stores, err := openForCalls(true)
	if err != nil {
		return err
	}
	defer closeStores(stores)
	approver := new(mcpserver.Approver)
	options.Permissions, options.Host.Asker = o.words, approver
	options.Sources = standard.Sources{OnLoadError: o.warn, StartInBackground: true}
	if options, err = o.standardOptions(options); err != nil {
		return err
	}
	o.operator = options.Config
	o.startServers(&options)
	options.Registry.Rules.Grantable = offer
	options.Registry.Approvals = approvals(approver, stores)
	metrics := mcpserver.NewMetrics()
	o.measure(&options, metrics)
	stopTraces, err := o.trace(cmd, &options, metrics)
	if err != nil {
		return err
	}
	defer stopTraces()
	options.Registry.Approvals.Remote = o.http != ""
	options.Registry.Calls.OnReceipt = func(r tool.Receipt) {
		log.ended(r)
		if o.receipt {
			log.receipt(r)
		}
	}
	if err := o.checkOptions(cmd, options); err != nil {
		return err
	}
	options.Registry.Logger = log.Logger
	tools, directories, err := o.openTools(options)
	if err != nil {
		return err
	}
	defer tools.Close()
	if err := o.checkAsked(cmd, allTools(tools)); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	server := mcpserver.New(tools, mcpserver.Options{
		Version: readVersion().Version, Instructions: serveInstructions, Approver: approver, Logger: options.Registry.Logger, Metrics: metrics,
		Trace: otlp.ContinueTrace,
		OnLog: func(name string, level slog.Level, text string) { log.Log(ctx, level, text, "tool", name) },
	})
	defer server.Close()
	reloader := standard.NewReloader(tools, options, o.configFile(), o.getenv)
	reloader.Check, o.current = o.checkTenants, reloader.Config
	defer o.reloadOnHangup(ctx, reloader)()
	if directories != nil {
		defer o.watchDirectories(ctx, reloader, directories)()
	}
	return o.serveAll(ctx, cancel, server)
}

// checkOptions refuses --watch without directories to watch. It also refuses to grant a mount that
// has no directory, because every call of a tool that asks for it would fail.
func (o *serveOptions) checkOptions(cmd *cobra.Command, options standard.Options) error {
	bound := options.Config.Grantable(nil, "").Mounts
	maps.Copy(bound, options.Registry.Rules.Grantable.Mounts)
	for _, word := range o.words {
		kind, name := word.Kind(), word.Name()
		if _, ok := bound[name]; ok || kind != capability.KindRead && kind != capability.KindWrite || name == capability.ScratchMount {
			continue
		}
		fix := "--dir " + name + "=DIR"
		if name == capability.WorkspaceMount {
			fix = "--workspace DIR"
		}
		return usage(cmd, fmt.Sprintf("--allow %s: the mount %s has no directory; add %s", word, quote(name), fix))
	}
	if o.watch && len(o.directories) == 0 && len(options.Config.ToolDirectories()) == 0 {
		return usage(cmd, "--watch requires --tools, or tool_directories in the operator's file")
	}
	return nil
}

// openTools creates the registry. It also returns the directories to watch, or nil without --watch.
func (o *serveOptions) openTools(options standard.Options) (*registry.Registry, *standard.Directories, error) {
	if o.watch {
		return standard.Open(options)
	}
	tools, err := standard.New(options)
	return tools, nil, err
}

// allTools returns a specification that asks for every permission that at least one tool of the
// registry asks for.
func allTools(tools *registry.Registry) tool.Spec {
	all := tool.Spec{Name: "the set of tools"}
	p := &all.Permissions
	for _, info := range tools.Tools().List(catalogue.Filter{Disabled: true}) {
		asked := info.Permissions
		p.FS, p.Env, p.Net = append(p.FS, asked.FS...), append(p.Env, asked.Env...), append(p.Net, asked.Net...)
		p.Tools = append(p.Tools, asked.Tools...)
		p.KV, p.Clock, p.Random = max(p.KV, asked.KV), p.Clock || asked.Clock, p.Random || asked.Random
	}
	return all
}

// serveAll serves clients until the client disconnects or ctx is done. It also serves the admin
// address, if there is one. When the admin server ends, serveAll calls cancel.
func (o *serveOptions) serveAll(ctx context.Context, cancel context.CancelFunc, server *mcpserver.Server) error {
	serve, err := o.clientServer(ctx, server)
	if err != nil {
		return err
	}
	if o.admin == "" {
		return serve()
	}
	l, err := listen("--admin", o.admin)
	if err != nil {
		return err
	}
	o.log.Info("serving health and metrics", "url", "http://"+l.Addr().String()+"/metrics")
	// The admin server runs until all calls have ended, so that monitoring sees the shutdown.
	admin, stopAdmin := context.WithCancel(context.WithoutCancel(ctx))
	failed := make(chan error, 1)
	go func() {
		failed <- server.ServeAdmin(admin, l)
		cancel()
	}()
	err = serve()
	stopAdmin()
	return errors.Join(err, <-failed)
}

// clientServer returns the function that serves clients. An address that must not be served is
// refused before anything is served.
func (o *serveOptions) clientServer(ctx context.Context, server *mcpserver.Server) (serve func() error, _ error) {
	if o.http == "" {
		return func() error {
			if terminal.Is(o.In) {
				o.log.Info("waiting for an MCP client on standard input; --print-config prints the configuration for a client")
			}
			defer protocolOnly()()
			return server.ServeStdio(ctx, o.In, o.Out)
		}, nil
	}
	access, err := o.access(ctx)
	if err != nil {
		return nil, err
	}
	l, err := listen("--http", o.http)
	if err != nil {
		return nil, err
	}
	if err := access.Check(l.Addr()); err != nil {
		return nil, o.refusedAccess(errors.Join(err, l.Close()))
	}
	return func() error {
		o.log.Info("serving", "url", "http://"+l.Addr().String()+mcpserver.Path)
		return server.ServeListener(ctx, l, access)
	}, nil
}

// protocolOnly redirects os.Stdout to standard error, so that a library that prints to standard
// output cannot corrupt the protocol. Code that saved os.Stdout earlier still writes to the
// original.
func protocolOnly() (restore func()) {
	out := os.Stdout
	os.Stdout = os.Stderr
	return func() { os.Stdout = out }
}

// reloadOnHangup reloads the operator's file at each SIGHUP until the returned function stop is
// called. A file with errors changes nothing.
func (s Streams) reloadOnHangup(ctx context.Context, reloader *standard.Reloader) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
			}
			read, err := reloader.Reload(ctx)
			if err != nil {
				s.warn(fmt.Errorf("the operator's file was not reloaded: %w", err))
				continue
			}
			s.printWarnings(read.Warnings...)
			if len(read.Pending) > 0 {
				s.printWarnings("restart the command to apply the changes to " + strings.Join(read.Pending, ", "))
			}
			s.log.Info("the operator's file was reloaded")
		}
	}()
	return func() { signal.Stop(hangups) }
}

// watchDirectories reloads tools when their files change, until the returned function stop is
// called.
func (s Streams) watchDirectories(ctx context.Context, reloader *standard.Reloader, directories *standard.Directories) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		reloader.WatchDirectories(ctx, directories, 0, func(c standard.ToolChange) {
			if c.Kind == standard.ToolKept {
				s.printWarnings(c.String())
				return
			}
			s.log.Info(c.String())
		})
	})
	return func() {
		cancel()
		watching.Wait()
	}
}
