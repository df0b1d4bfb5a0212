package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/executor/process"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/mcpserver/oauth"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

type serveOptions struct {
	toolOptions
	grantOptions
	workspace string
	http      string
	admin     string
	tokenFile string
	oauth     oauth.Options
	hosts     []string
	client    string
	verbose   bool
	receipt   bool
	watch     bool
}

// The flags of OAuth.
const (
	oauthIssuer   = "oauth-issuer"
	oauthResource = "oauth-resource"
	oauthAudience = "oauth-audience"
	oauthScope    = "oauth-scope"
)

// tokenEnv holds the token that clients over HTTP must send.
const tokenEnv = "WASMTOOL_SERVE_TOKEN"

func newServeCommand(a *app) *cobra.Command {
	o := serveOptions{toolOptions: toolOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer the tools to an MCP client",
		Long: `Offer the tools to a client of the Model Context Protocol: Claude, Cursor,
VS Code and others. The client starts the command and talks to it over standard
input and output; --print-config prints what to put into its configuration.
With --http the command waits for clients instead, at http://ADDR/mcp.

A tool reaches only what its manifest asks for and you grant. Without a word from
you that is the clock and randomness: unlike 'wasmtool run', nothing of the current
directory, which is wherever the client happens to start the command. --workspace
grants a directory. What must be asked about is asked through the client; a client
that cannot ask its user gets a no. See docs/mcp.md and docs/operator.md.

An address that other machines can reach needs a token of at least 16 bytes, in the
variable WASMTOOL_SERVE_TOKEN or in --token-file; or an authorization server, with
--oauth-issuer, whose users are tenants of their own. SIGHUP reads the operator's file
again. The first SIGINT or SIGTERM lets calls that run end; a second one does not.

Exit status: 0 when the client has gone or the command was told to stop; 2 for a
wrong command line.`,
		Example: `  wasmtool serve --workspace . --print-config claude
  wasmtool serve --workspace ~/project:rw --tools ./tools
  wasmtool serve --http 127.0.0.1:8080 --admin 127.0.0.1:8081`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.serve(cmd) },
	}
	o.toolOptions.add(cmd)
	o.grantOptions.add(cmd, "")
	flags := cmd.Flags()
	flags.StringVar(&o.workspace, "workspace", "", "grant `DIR`, read-only, to tools that ask for the mount \"workspace\"; DIR:rw to write there too")
	flags.StringVar(&o.http, "http", "", "wait for clients at `ADDR`, such as 127.0.0.1:8080, in place of standard input and output")
	flags.StringVar(&o.admin, "admin", "", "answer /healthz, /readyz and /metrics at `ADDR`, such as 127.0.0.1:8081")
	flags.StringVar(&o.tokenFile, "token-file", "", "the `FILE` with the token that clients over HTTP must send (default: $"+tokenEnv+")")
	flags.StringVar(&o.oauth.Issuer, oauthIssuer, "", "let in who has a token of the authorization server at `URL`, in place of --token-file")
	flags.StringVar(&o.oauth.Resource, oauthResource, "", "the `URL` by which clients reach this server, such as https://tools.example.com/mcp; tokens must be for it")
	flags.StringVar(&o.oauth.Audience, oauthAudience, "", "what tokens must be for, where the authorization server does not say the URL of --oauth-resource")
	flags.StringArrayVar(&o.oauth.Scopes, oauthScope, nil, "let in only tokens with the scope `NAME` (repeatable)")
	flags.StringArrayVar(&o.hosts, "allow-host", nil, "accept HTTP requests for the host `NAME` besides this machine's own names (repeatable)")
	flags.BoolVar(&o.watch, "watch", false, "reload the tools of --tools and of tool_directories when their files change")
	flags.StringVar(&o.client, "print-config", "", "print what to put into the configuration of `CLIENT`, and serve nothing: "+strings.Join(clientNames(), ", "))
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "show all that tools log on standard error, not warnings and errors only")
	flags.BoolVar(&o.receipt, "receipt", false, "tell on standard error what each call reached, which rule let it run and what it cost, a line of JSON each")
	return cmd
}

// serve checks the command line, opens the tools, and serves them.
func (o *serveOptions) serve(cmd *cobra.Command) error {
	if err := o.checkAccess(cmd); err != nil {
		return err
	}
	if o.client != "" {
		return o.printClientConfig(cmd)
	}
	offer, err := o.offerWithWorkspace(cmd)
	if err != nil {
		return err
	}
	stores, err := openForCalls(true)
	if err != nil {
		return err
	}
	defer closeStores(stores)
	approver, said := new(mcpserver.Approver), &lineWriter{err: o.Err}
	options, err := o.standardOptions(standard.Options{
		Words: o.words, Sources: standard.Sources{OnLoadError: o.warn},
		Host: standard.Host{Asker: approver, Jobs: new(process.Options)},
	})
	if err != nil {
		return err
	}
	o.startServers(&options)
	options.Registry.Rules.Offer = offer
	options.Registry.Approvals = approvals(approver, stores)
	if o.receipt {
		options.Registry.Calls.OnReceipt = said.receipt
	}
	if err := o.checkOptions(cmd, options); err != nil {
		return err
	}
	options.Registry.Logger = slog.New(slog.NewTextHandler(said, &slog.HandlerOptions{Level: slog.LevelWarn}))
	tools, folders, err := o.openTools(options)
	if err != nil {
		return err
	}
	defer tools.Close()
	if err := o.checkAsked(cmd, allTools(tools)); err != nil {
		return err
	}
	server := mcpserver.New(tools, mcpserver.Options{
		Version: readVersion().Version, Approver: approver, Logger: options.Registry.Logger,
		OnLog: func(name string, level slog.Level, text string) {
			if level >= slog.LevelWarn || o.verbose {
				said.log(name, level, text)
			}
		},
	})
	defer server.Close()
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	reloader := standard.NewReloader(tools, options, o.configFile(), o.getenv)
	defer o.reloadOnHangup(ctx, reloader)()
	if folders != nil {
		defer o.watchFolders(ctx, reloader, folders)()
	}
	return o.serveAll(ctx, cancel, server)
}

// checkAccess finds flags of access over HTTP that do not go together.
func (o *serveOptions) checkAccess(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	if o.http == "" {
		for _, name := range []string{"token-file", "allow-host", oauthIssuer, oauthResource, oauthAudience, oauthScope} {
			if given(name) {
				return usage(cmd, "--"+name+" is for --http")
			}
		}
	}
	switch {
	case given(oauthIssuer) != given(oauthResource):
		return usage(cmd, "--"+oauthIssuer+" and --"+oauthResource+" belong together")
	case given(oauthIssuer) && given("token-file"):
		return usage(cmd, "--"+oauthIssuer+" and --token-file exclude each other")
	case !given(oauthIssuer) && (given(oauthAudience) || given(oauthScope)):
		return usage(cmd, "--"+oauthAudience+" and --"+oauthScope+" are for --"+oauthIssuer)
	}
	return nil
}

// offerWithWorkspace is what the flags grant, --workspace included.
func (o *serveOptions) offerWithWorkspace(cmd *cobra.Command) (capability.Grantable, error) {
	if o.workspace != "" {
		path, _ := strings.CutSuffix(o.workspace, writeSuffix)
		if _, err := existingDir(path); err != nil {
			return capability.Grantable{}, usage(cmd, fmt.Sprintf("--workspace %s: %v", o.workspace, err))
		}
		o.dirs = append(o.dirs, capability.WorkspaceMount+"="+o.workspace)
	}
	return o.offer(cmd, o.getenv)
}

// checkOptions refuses --watch for nothing, and to grant a mount to which no directory is
// bound: all calls of tools that ask for it would fail.
func (o *serveOptions) checkOptions(cmd *cobra.Command, options standard.Options) error {
	bound := options.Config.Grantable(nil, "").Mounts
	maps.Copy(bound, options.Registry.Rules.Offer.Mounts)
	for _, word := range o.words {
		kind, name := word.Kind(), word.Name()
		if _, ok := bound[name]; ok || kind != capability.KindRead && kind != capability.KindWrite || name == capability.ScratchMount {
			continue
		}
		fix := "--dir " + name + "=DIR"
		if name == capability.WorkspaceMount {
			fix = "--workspace DIR"
		}
		return usage(cmd, fmt.Sprintf("--allow %s: no directory is bound to the mount %s; add %s", word, quote(name), fix))
	}
	if o.watch && len(o.folders) == 0 && len(options.Config.ToolDirectories()) == 0 {
		return usage(cmd, "--watch is for --tools and the tool_directories of the operator's file")
	}
	return nil
}

// openTools makes the registry, with its folders when they are watched.
func (o *serveOptions) openTools(options standard.Options) (*registry.Registry, *standard.Directories, error) {
	if o.watch {
		return standard.Open(options)
	}
	tools, err := standard.New(options)
	return tools, nil, err
}

// allTools is a tool that asks for all that the tools of a registry ask for.
func allTools(tools *registry.Registry) tool.Spec {
	all := tool.Spec{Name: "the set of tools"}
	p := &all.Permissions
	for _, info := range tools.Tools().List(catalogue.Filter{Disabled: true}) {
		asked := info.Permissions
		p.FS, p.Env, p.Net = append(p.FS, asked.FS...), append(p.Env, asked.Env...), append(p.Net, asked.Net...)
		p.KV, p.Clock, p.Random = max(p.KV, asked.KV), p.Clock || asked.Clock, p.Random || asked.Random
	}
	return all
}

// serveAll serves until the client is gone or ctx is done, and with an admin address
// beside that. It calls cancel when that one fails.
func (o *serveOptions) serveAll(ctx context.Context, cancel context.CancelFunc, server *mcpserver.Server) error {
	if o.admin == "" {
		return o.serveClients(ctx, server)
	}
	l, err := listen("--admin", o.admin)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Err, "wasmtool: health and metrics at http://%s/metrics\n", l.Addr())
	// It answers while calls end, so that what watches sees that the server is stopping.
	admin, stopAdmin := context.WithCancel(context.WithoutCancel(ctx))
	failed := make(chan error, 1)
	go func() {
		failed <- server.ServeAdmin(admin, l)
		cancel()
	}()
	err = o.serveClients(ctx, server)
	stopAdmin()
	return errors.Join(err, <-failed)
}

func (o *serveOptions) serveClients(ctx context.Context, server *mcpserver.Server) error {
	if o.http == "" {
		if isTerminal(o.In) {
			fmt.Fprintln(o.Err, "wasmtool: waiting for the messages of an MCP client on standard input; --print-config shows how to configure one")
		}
		defer protocolOnly()()
		return server.ServeStdio(ctx, o.In, o.Out)
	}
	access, err := o.access(ctx)
	if err != nil {
		return err
	}
	l, err := listen("--http", o.http)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Err, "wasmtool: serving at http://%s%s\n", l.Addr(), mcpserver.Path)
	err = server.ServeListener(ctx, l, access)
	if errors.Is(err, mcpserver.ErrTokenNeeded) || errors.Is(err, mcpserver.ErrTokenShort) {
		return tool.Errorf(tool.CodeUsage, "--http %s: %v; put one into $%s or --token-file", o.http, err, tokenEnv)
	}
	return unusableOAuth(err)
}

// access says who may connect over HTTP.
func (o *serveOptions) access(ctx context.Context) (mcpserver.HTTPOptions, error) {
	access := mcpserver.HTTPOptions{Hosts: o.hosts}
	var err error
	if o.oauth.Issuer == "" {
		access.Token, err = o.token(ctx)
		return access, err
	}
	access.Authority, err = oauth.New(ctx, o.oauth)
	return access, unusableOAuth(err)
}

// unusableOAuth makes an error of the flags of OAuth one of the command line.
func unusableOAuth(err error) error {
	if errors.Is(err, mcpserver.ErrOAuth) {
		return &tool.Error{Code: tool.CodeUsage, Message: err.Error()}
	}
	return err
}

// protocolOnly keeps a library that prints to standard output from breaking the protocol
// there: whatever does not hold the stream already gets standard error.
func protocolOnly() (restore func()) {
	out := os.Stdout
	os.Stdout = os.Stderr
	return func() { os.Stdout = out }
}

func listen(flag, addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, tool.Errorf(tool.CodeUsage, "%s %s: %v; write HOST:PORT, such as 127.0.0.1:8080", flag, addr, err)
	}
	return l, nil
}

// token is what clients over HTTP must send; empty for nothing.
func (o *serveOptions) token(ctx context.Context) (string, error) {
	if o.tokenFile == "" {
		token, _ := o.getenv(tokenEnv)
		return strings.TrimSpace(token), nil
	}
	data, err := secret.FromFile(o.tokenFile).Value(ctx)
	if err != nil {
		return "", tool.Errorf(tool.CodeUsage, "--token-file %s: the token %v", o.tokenFile, err)
	}
	token := strings.TrimSpace(string(data))
	if token == "" {
		return "", tool.Errorf(tool.CodeUsage, "--token-file %s: the file is empty", o.tokenFile)
	}
	return token, nil
}

// reloadOnHangup reads the operator's file again at each SIGHUP, until stop. A file that
// cannot be used changes nothing.
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
				s.warn(fmt.Errorf("the operator's file is not read again: %w", err))
				continue
			}
			s.printWarnings(read.Warnings...)
			if len(read.Pending) > 0 {
				s.printWarnings("start the command again for the changes of " + strings.Join(read.Pending, ", "))
			}
			fmt.Fprintln(s.Err, "wasmtool: the operator's file was read again")
		}
	}()
	return func() { signal.Stop(hangups) }
}

// watchFolders loads tools again when their files change, until stop.
func (s Streams) watchFolders(ctx context.Context, reloader *standard.Reloader, folders *standard.Directories) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		reloader.WatchFolders(ctx, folders, 0, func(c standard.ToolChange) {
			if c.Kind == standard.ToolKept {
				s.printWarnings(c.String())
				return
			}
			fmt.Fprintf(s.Err, "wasmtool: %s\n", indent(printable(c.String())))
		})
	})
	return func() {
		cancel()
		watching.Wait()
	}
}
